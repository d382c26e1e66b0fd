// SPDX-License-Identifier: Apache-2.0
/*
 * A libamdhip64.so.6 that pretends a device, with the part of rocprofiler-register that looks for tools: the name
 * rocprofiler_configure among all libraries. Where it is found, and rocprofiler-sdk is not, the program is ended, as
 * the real one does. Launches are those of test/fake/cuda.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int hipInit(unsigned flags);

static void register_tables(void)
{
	void *configure = dlsym(RTLD_DEFAULT, "rocprofiler_configure"), *library;
	int (*set)(const char *, uint64_t, uint64_t, void **, uint64_t);

	if (!configure)
		return;
	*(void **)&set = dlsym(RTLD_DEFAULT, "rocprofiler_set_api_table");
	if (!set && (library = dlopen("librocprofiler-sdk.so", RTLD_LAZY | RTLD_GLOBAL)))
		*(void **)&set = dlsym(library, "rocprofiler_set_api_table");
	if (!set) {
		fprintf(stderr, "rocprofiler_set_api_table not found\n");
		abort();
	}
	set("hip", 60300, 0, NULL, 1);
}

int hipInit(unsigned flags)
{
	static int has_begun;

	(void)flags;
	if (!has_begun++)
		register_tables();
	return 0;
}
