// SPDX-License-Identifier: Apache-2.0
/*
 * Finds rocprofiler-sdk: the one in the program, the loader's, or the one beside ROCm's libraries. It is loaded for all
 * to see: ROCm's own look-up ends the program where it does not find the library for a tool that it has found.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "capture/agent/device/device_find.h"
#include "capture/agent/glibc.h"
#include "capture/agent/guard.h"
#include "capture/agent/rocm/rocm_in.h"

enum { MOST_KINDS = 128 };

struct rocm rocm;

static const char *const names[] = { "librocprofiler-sdk.so.1", "librocprofiler-sdk.so.0", "librocprofiler-sdk.so",
				     NULL };
static const char *const of_rocm[] = { "libamdhip64.so", "librocprofiler-register.so", "libhsa-runtime64.so", NULL };
static const char *const folders[] = { "", NULL };

static char why[200];

const char *rocm_find(void)
{
	void *library = NULL;
	const char *missing = NULL;

	for (size_t i = 0; names[i] && !library; i++)
		library = guard_dlopen(names[i], RTLD_LAZY | RTLD_GLOBAL);
	if (!library)
		library =
		    device_open_beside(&(struct device_beside){ of_rocm, folders, names, RTLD_LAZY | RTLD_GLOBAL });
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
