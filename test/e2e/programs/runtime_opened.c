/* SPDX-License-Identifier: Apache-2.0 */
/* The runtime from dlopen and dlsym. The last one that was opened can be closed. */
#include <dlfcn.h>

#include "ort.h"

static void *handle;

struct ort_base *runtime_open(const char *path)
{
	struct ort_base *(*get)(void);

	handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!handle)
		die("dlopen", dlerror());
	get = (struct ort_base * (*)(void)) dlsym(handle, "OrtGetApiBase");
	if (!get)
		die("dlsym", dlerror());
	return get();
}

void runtime_close(void)
{
	dlclose(handle);
}
