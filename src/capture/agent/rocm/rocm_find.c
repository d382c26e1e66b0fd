// SPDX-License-Identifier: Apache-2.0
/*
 * Finds rocprofiler-sdk: the one in the program, the loader's, or the one beside ROCm's libraries. It is loaded for all
 * to see: ROCm's own look-up ends the program where it does not find the library for a tool that it has found.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "capture/agent/glibc.h"
#include "capture/agent/replace/module_walk.h"
#include "capture/agent/rocm/rocm_in.h"

enum { PATH = 1024, MOST_KINDS = 128 };

struct rocm rocm;

static const char *const names[] = { "librocprofiler-sdk.so.1", "librocprofiler-sdk.so.0", "librocprofiler-sdk.so" };
static const char *const of_rocm[] = { "libamdhip64.so", "librocprofiler-register.so", "libhsa-runtime64.so" };

static char why[200];

static bool is_of_rocm(const char *slash)
{
	for (size_t i = 0; i < sizeof of_rocm / sizeof *of_rocm; i++)
		if (!strncmp(slash + 1, of_rocm[i], strlen(of_rocm[i])))
			return true;
	return false;
}

static void *open_beside(void)
{
	static char path[PATH + 64];
	struct image_set set = { 0 };
	void *library = NULL;

	if (module_walk_images(&set))
		return NULL;
	for (size_t i = 0; i < set.n && !library; i++) {
		const char *slash = strrchr(set.image[i].path, '/');

		if (!slash || !is_of_rocm(slash) || slash - set.image[i].path >= PATH)
			continue;
		for (size_t n = 0; n < sizeof names / sizeof *names && !library; n++) {
			memcpy(path, set.image[i].path, (size_t)(slash + 1 - set.image[i].path));
			stpcpy(path + (slash + 1 - set.image[i].path), names[n]);
			library = glibc.dlopen(path, RTLD_LAZY | RTLD_GLOBAL);
		}
	}
	image_set_done(&set);
	return library;
}

const char *rocm_find(void)
{
	void *library = NULL;
	const char *missing = NULL;

	for (size_t i = 0; i < sizeof names / sizeof *names && !library && glibc.dlopen; i++)
		library = glibc.dlopen(names[i], RTLD_LAZY | RTLD_GLOBAL);
	if (!library && glibc.dlopen)
		library = open_beside();
	if (!library)
		return "librocprofiler-sdk was not found: install rocprofiler-sdk of ROCm 6.2 or later";
#define TAKE(function, params) \
	*(void **)&rocm.function = glibc.dlsym(library, "rocprofiler_" #function); \
	if (!rocm.function) \
		missing = "rocprofiler_" #function;
	ROCM_FUNCTIONS(TAKE)
#undef TAKE
	if (!missing)
		return NULL;
	snprintf(why, sizeof why, "librocprofiler-sdk has no function %s: install one of ROCm 6.2 or later", missing);
	return why;
}

static uint32_t number_of(int (*ask)(uint32_t, const char **, uint64_t *), const char *wanted)
{
	for (uint32_t kind = 1; kind < MOST_KINDS; kind++) {
		const char *name = NULL;
		uint64_t len = 0;

		if (!ask(kind, &name, &len) && name && !strcmp(name, wanted))
			return kind;
	}
	return 0;
}

const char *rocm_find_kinds(void)
{
	static const char *const wanted[ROCM_KINDS] = {
		[ROCM_CALL] = "HIP_RUNTIME_API",
		[ROCM_COPY] = "MEMORY_COPY",
		[ROCM_KERNEL] = "KERNEL_DISPATCH",
		[ROCM_SCRATCH] = "SCRATCH_MEMORY",
	};

	for (unsigned i = 0; i < ROCM_KINDS; i++) {
		rocm.kinds[i] = number_of(rocm.query_buffer_tracing_kind_name, wanted[i]);
		if (!rocm.kinds[i] && i != ROCM_SCRATCH)
			return wanted[i];
	}
	rocm.code_objects = number_of(rocm.query_callback_tracing_kind_name, "CODE_OBJECT");
	return rocm.code_objects > ROCM_SYMBOL ? NULL : "CODE_OBJECT";
}
