/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a request asks for: "/TOKEN/name?key=value&key=value". Reads untrusted bytes; bounded, allocates nothing. Knows
 * nothing of the names and keys that there are.
 */
#ifndef SHOW_VIEW_HTTP_REQUEST_H
#define SHOW_VIEW_HTTP_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HTTP_MAX_URI = 4096, HTTP_MAX_PARAMS = 32 };

struct http_request {
	char text[HTTP_MAX_URI + 1]; /* the rest points into it */
	const char *token, *name;    /* name: "" for the page itself */
	const char *key[HTTP_MAX_PARAMS], *value[HTTP_MAX_PARAMS];
	size_t n_params;
	bool is_post; /* it is to do something; else it only asks */
	int body_fd;  /* of a post: the file that was sent with it; -1: none */
};

/*
 * 0; or the status to answer with, 400 or 414, then the request must not be read. Refused are absolute URIs, names with
 * more than letters, digits, '.', '-' and '_', "..", escapes that are none or mean NUL, keys that come twice.
 */
unsigned http_request_parse(struct http_request *to, const char *uri, size_t len);

/* NULL: it has none of that key. */
const char *http_request_text(const struct http_request *request, const char *key);
/* The number of a key, of digits alone; without the key *value stays. false: it is no number, or above max. */
bool http_request_count(const struct http_request *request, const char *key, uint64_t max, uint64_t *value);
/* The same for a finite real number of either sign, whose size is below 2^63. */
bool http_request_real(const struct http_request *request, const char *key, double *value);

#endif
