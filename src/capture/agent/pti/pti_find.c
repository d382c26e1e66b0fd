// SPDX-License-Identifier: Apache-2.0
/*
 * Finds libpti_view: the one in the program, the loader's, or the one of the program's Python environment, in whose lib
 * pip puts it: four folders above those of torch/lib and onnxruntime/capi.
 */
#include <dlfcn.h>
#include <stdio.h>

#include "capture/agent/device/device_find.h"
#include "capture/agent/glibc.h"
#include "capture/agent/pti/pti_in.h"

struct pti pti;

static const char *const names[] = { "libpti_view.so.1", "libpti_view.so.0", NULL };
static const char *const near[] = { "libsycl.so",	 "libtorch_xpu.so",
				    "libtorch_cpu.so",	 "onnxruntime_pybind11_state",
				    "libonnxruntime.so", NULL };
static const char *const folders[] = { "", "/../../../..", "/../lib", NULL };

bool pti_find_driver(void)
{
	int (*get)(uint32_t *, void *);
	uint32_t n = 0;
	void *library = glibc.dlopen ? glibc.dlopen("libze_loader.so.1", RTLD_LAZY | RTLD_NOLOAD) : NULL;

	if (!library)
		return false;
	*(void **)&get = glibc.dlsym(library, "zeDriverGet");
	return get && !get(&n, NULL) && n > 0;
}

const char *pti_find(void)
{
	const char *missing = NULL;
	static char why[200];

	pti.library = NULL;
	for (size_t i = 0; names[i] && !pti.library; i++)
		pti.library = glibc.dlopen(names[i], RTLD_LAZY | RTLD_NOLOAD);
	if (!pti.library)
		pti.library = glibc.dlopen(names[0], RTLD_LAZY | RTLD_LOCAL);
	if (!pti.library)
		pti.library =
		    device_open_beside(&(struct device_beside){ near, folders, names, RTLD_LAZY | RTLD_LOCAL });
	if (!pti.library)
		return "libpti_view was not found: pip install intel-pti";
#define TAKE(result, name, full, params) \
	*(void **)&pti.name = glibc.dlsym(pti.library, #full); \
	if (!pti.name) \
		missing = #full;
	PTI_FUNCTIONS(TAKE)
#undef TAKE
	if (!missing)
		return NULL;
	snprintf(why, sizeof why, "libpti_view has no function %s: pip install intel-pti, 0.12 or later", missing);
	return why;
}
