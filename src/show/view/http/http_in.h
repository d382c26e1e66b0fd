/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of the server, for its own files: http.c runs it, http_check.c decides who may ask. */
#ifndef SHOW_VIEW_HTTP_IN_H
#define SHOW_VIEW_HTTP_IN_H

#include <stdint.h>

#include "base/http/http_library.h"
#include "show/view/http/http.h"

enum { HTTP_TOKEN_LEN = 32 };

/* A new random token. 0, or -errno and err. */
int http_token_init(char token[HTTP_TOKEN_LEN + 1], struct err *err);
struct http_rules {
	const char *token;
	bool takes_posts, takes_files; /* as the handler says */
	bool is_framed;		       /* another page may show it in a frame */
};

/* 0; or the status to refuse with, and why. */
unsigned http_check(const struct http_rules *rules, struct MHD_Connection *connection,
		    const struct http_request *request, const char *method, const char **why);

#endif
