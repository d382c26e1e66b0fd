// SPDX-License-Identifier: Apache-2.0
/* Loads libpcre2-8; see pattern_library.h. It stays loaded. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "base/text/pattern_library.h"

static struct pattern_library functions;
static bool has_all;

#define LOAD(name) \
	symbol = dlsym(library, "pcre2_" #name "_8"); \
	has_all &= symbol != NULL; \
	memcpy(&functions.name, &symbol, sizeof symbol);

static void load(void)
{
	void *library = dlopen(PATTERN_SONAME, RTLD_NOW | RTLD_LOCAL), *symbol;

	has_all = library != NULL;
	if (library) {
		PATTERN_LIBRARY(LOAD)
	} else {
		dlerror(); /* the program that asks for its own errors must not find ours */
	}
}

const struct pattern_library *pattern_library(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load);
	return has_all ? &functions : NULL;
}
