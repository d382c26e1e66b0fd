// SPDX-License-Identifier: Apache-2.0
/* The functions of a libmicrohttpd that is linked; see http_library.h. */
#include "base/http/http_library.h"

#define LINKED(name) .name = MHD_##name,

const struct http_library *mhd(void)
{
	static const struct http_library functions = { HTTP_LIBRARY(LINKED) };

	return &functions;
}

int http_library_load(struct err *err)
{
	return 0;
}
