// SPDX-License-Identifier: Apache-2.0
/* Loads libmicrohttpd; see http_library.h. It stays loaded. */
#include "base/http/http_library.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#define SONAME "libmicrohttpd.so.12"

static struct http_library library;

const struct http_library *mhd(void)
{
	return &library;
}

int http_library_load(struct err *err)
{
#define ROW(name) { "MHD_" #name, &library.name },
	static const struct {
		const char *name;
		void *to; /* pointer to a function */
	} functions[] = { HTTP_LIBRARY(ROW) };
	void *handle = dlopen(SONAME, RTLD_NOW | RTLD_LOCAL), *function;

	if (!handle)
		return err_set(err, ENOENT,
			       "cannot serve pages: %s is not installed (Debian and Ubuntu: libmicrohttpd12)", SONAME);
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
		function = dlsym(handle, functions[i].name);
		if (!function)
			return err_set(err, ENOENT, "cannot serve pages: %s has no %s", SONAME, functions[i].name);
		memcpy(functions[i].to, &function, sizeof function);
	}
	return 0;
}
