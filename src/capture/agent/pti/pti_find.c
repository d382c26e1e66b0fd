// SPDX-License-Identifier: Apache-2.0
/*
 * Finds libpti_view: the one in the program, the loader's, or the one of the program's Python environment, in whose lib
 * pip puts it: four folders above those of torch/lib and onnxruntime/capi.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "capture/agent/glibc.h"
#include "capture/agent/pti/pti_in.h"
#include "capture/agent/replace/module_walk.h"

enum { PATH = 1024 };

struct pti pti;

static const char library_name[] = "libpti_view.so.1", older_name[] = "libpti_view.so.0";
static const char *const beside[] = { "", "/../../../..", "/../lib" };
static const char *const near[] = { "libsycl.so", "libtorch_xpu.so", "libtorch_cpu.so", "onnxruntime_pybind11_state",
				    "libonnxruntime.so" };

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

static bool is_near(const char *slash)
{
	for (size_t i = 0; i < sizeof near / sizeof *near; i++)
		if (!strncmp(slash + 1, near[i], strlen(near[i])))
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
		size_t len = slash ? (size_t)(slash - set.image[i].path) : 0;

		if (!slash || len >= PATH || !is_near(slash))
			continue;
		for (size_t b = 0; b < sizeof beside / sizeof *beside && !library; b++) {
			memcpy(path, set.image[i].path, len);
			stpcpy(stpcpy(stpcpy(path + len, beside[b]), "/"), library_name);
			library = glibc.dlopen(path, RTLD_LAZY | RTLD_LOCAL);
		}
	}
	image_set_done(&set);
	return library;
}

const char *pti_find(void)
{
	const char *missing = NULL;
	static char why[200];

	pti.library = glibc.dlopen(library_name, RTLD_LAZY | RTLD_NOLOAD);
	if (!pti.library)
		pti.library = glibc.dlopen(older_name, RTLD_LAZY | RTLD_NOLOAD);
	if (!pti.library)
		pti.library = glibc.dlopen(library_name, RTLD_LAZY | RTLD_LOCAL);
	if (!pti.library)
		pti.library = open_beside();
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
