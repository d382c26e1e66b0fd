/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of the server, for its own files: http.c runs it, http_check.c decides who may ask. */
#ifndef SHOW_VIEW_HTTP_IN_H
#define SHOW_VIEW_HTTP_IN_H

#include <stdint.h>

#include "show/view/http/http.h"
#include "show/view/http/http_library.h"

enum { HTTP_TOKEN_LEN = 32 };

/* Who this server is, as headers name it. */
struct http_self {
	char token[HTTP_TOKEN_LEN + 1];
	char host[2][32];   /* "127.0.0.1:PORT", "localhost:PORT" */
	char origin[2][48]; /* the same with "http://" */
};

/* A new random token. 0, or -errno and err. */
int http_self_init(struct http_self *self, uint16_t port, struct err *err);
/* 0; or the status to refuse with, and why. */
unsigned http_check(const struct http_self *self, struct MHD_Connection *connection, const struct http_request *request,
		    const char *method, bool takes_posts, const char **why);

#endif
