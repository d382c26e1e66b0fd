// SPDX-License-Identifier: Apache-2.0
/* Loads libcurl. It stays loaded. */
#include "fleet/door/curl_library.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#define SONAME "libcurl.so.4"

int curl_library_load(struct curl_library *library, struct err *err)
{
#define ROW(type, name, parameters) { "curl_" #name, offsetof(struct curl_library, name) },
	static const struct {
		const char *name;
		size_t at;
	} functions[] = { CURL_LIBRARY(ROW) };
	void *handle = dlopen(SONAME, RTLD_NOW | RTLD_LOCAL), *function;

	if (!handle)
		return err_set(err, ENOENT, "cannot send: %s is not installed (Debian and Ubuntu: libcurl4)", SONAME);
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
		function = dlsym(handle, functions[i].name);
		if (!function)
			return err_set(err, ENOENT, "cannot send: %s has no %s", SONAME, functions[i].name);
		memcpy((char *)library + functions[i].at, &function, sizeof function);
	}
	if (library->global_init(3))
		return err_set(err, EIO, "cannot send: %s does not start", SONAME);
	return 0;
}
