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
/* What http_check asks of the server. */
bool http_takes_posts(const struct http *http);
bool http_takes_files(const struct http *http);
bool http_is_framed(const struct http *http);

/* 0; or the status to refuse with, and why. */
unsigned http_check(const char *token, struct MHD_Connection *connection, const struct http_request *request,
		    const char *method, const struct http *http, const char **why);

#endif
