/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libmicrohttpd, loaded when a server starts (http_library.c). Linked, it would make every command start 2.6 ms later:
 * it brings libraries for TLS, which is not used. A program that brings its libraries along has one without TLS in it
 * (http_library_linked.c). Its header has the functions.
 */
#ifndef BASE_HTTP_HTTP_LIBRARY_H
#define BASE_HTTP_HTTP_LIBRARY_H

#include <microhttpd.h>

#include "base/err.h"

#define HTTP_LIBRARY(F) \
	F(add_response_header) \
	F(create_response_from_buffer) \
	F(create_response_from_callback) \
	F(destroy_response) \
	F(get_connection_info) \
	F(get_connection_values) \
	F(get_daemon_info) \
	F(get_timeout) \
	F(queue_response) \
	F(resume_connection) \
	F(run) \
	F(start_daemon) \
	F(stop_daemon) \
	F(suspend_connection)

#define HTTP_LIBRARY_MEMBER(name) __typeof__(MHD_##name) *name;
struct http_library {
	HTTP_LIBRARY(HTTP_LIBRARY_MEMBER)
};

/* 0; or -errno and err: it is not installed, or not the one that this program was built for. */
int http_library_load(struct err *err);
/* Valid once it is loaded. */
const struct http_library *mhd(void);

#endif
