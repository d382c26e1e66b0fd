/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libcurl, loaded when a door sends: TLS, proxies and their updates stay the system's, and packages need it only for
 * that. What is used of its interface has not changed since 7.32; its header is not needed to build.
 */
#ifndef FLEET_DOOR_CURL_LIBRARY_H
#define FLEET_DOOR_CURL_LIBRARY_H

#include <stddef.h>

#include "base/err.h"

enum {
	CURL_WRITEDATA = 10001,
	CURL_URL = 10002,
	CURL_ERRORBUFFER = 10010,
	CURL_POSTFIELDS = 10015,
	CURL_USERAGENT = 10018,
	CURL_HTTPHEADER = 10023,
	CURL_HEADERDATA = 10029,
	CURL_FOLLOWLOCATION = 52,
	CURL_POSTFIELDSIZE = 60,
	CURL_NOPROGRESS = 43,
	CURL_NOSIGNAL = 99,
	CURL_TIMEOUT_MS = 155,
	CURL_CONNECTTIMEOUT_MS = 156,
	CURL_PROTOCOLS = 181, /* 1: HTTP, 2: HTTPS */
	CURL_SSLCERT = 10025,
	CURL_CAINFO = 10065,
	CURL_SSLKEY = 10087,
	CURL_XFERINFODATA = 10057,
	CURL_WRITEFUNCTION = 20011,
	CURL_HEADERFUNCTION = 20079,
	CURL_XFERINFOFUNCTION = 20219, /* since 7.32 */
	CURL_RESPONSE_CODE = 0x200002,
	CURL_ERROR_SIZE = 256
};

#define CURL_LIBRARY(F) \
	F(int, global_init, (long flags)) \
	F(void *, easy_init, (void)) \
	F(int, easy_setopt, (void *easy, int option, ...)) \
	F(int, easy_perform, (void *easy)) \
	F(int, easy_getinfo, (void *easy, int info, ...)) \
	F(const char *, easy_strerror, (int code)) \
	F(void *, slist_append, (void *list, const char *text))

#define CURL_MEMBER(type, name, parameters) type(*name) parameters;
struct curl_library {
	CURL_LIBRARY(CURL_MEMBER)
};

/* 0; or -errno and err: it is not installed. */
int curl_library_load(struct curl_library *library, struct err *err);

#endif
