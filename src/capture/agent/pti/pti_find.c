// SPDX-License-Identifier: Apache-2.0
/*
 * Finds libpti_view: the one in the program, the loader's, or the one of the program's Python environment, in whose lib
 * pip puts it: four folders above those of torch/lib and onnxruntime/capi.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "capture/agent/device/device_find.h"
#include "capture/agent/glibc.h"
#include "capture/agent/guard.h"
#include "capture/agent/pti/pti_in.h"

struct pti pti;

static const char *const names[] = { "libpti_view.so.1", "libpti_view.so.0", NULL };
static const char *const near[] = { "libsycl.so",	 "libtorch_xpu.so",
				    "libtorch_cpu.so",	 "onnxruntime_pybind11_state",
				    "libonnxruntime.so", NULL };
static const char *const folders[] = { "", "/../../../..", "/../lib", NULL };

/* Of Level Zero, by its headers: ze_device_properties_t begins with its own kind and a pointer, then the device's. */
enum { DRIVERS = 16, DEVICES = 32, PROPERTIES = 1024, OF_DEVICE = 3, KIND_AT = 16, IS_GPU = 1 };

struct level_zero {
	int (*drivers)(uint32_t *n, void **drivers);
	int (*devices)(void *driver, uint32_t *n, void **devices);
	int (*properties)(void *device, void *to);
};

static bool is_gpu(const struct level_zero *of, void *device)
{
	uint64_t properties[PROPERTIES / 8] = { OF_DEVICE };
	uint32_t kind;

	if (of->properties(device, properties))
		return false;
	memcpy(&kind, (const char *)properties + KIND_AT, sizeof kind);
	return kind == IS_GPU;
}

/* NPUs have drivers of Level Zero, too. */
static bool has_gpu(const struct level_zero *of)
{
	void *driver[DRIVERS], *device[DEVICES];
	uint32_t n = DRIVERS, n_devices;

	if (of->drivers(&n, driver))
		return false;
	for (uint32_t i = 0; i < n && i < DRIVERS; i++) {
		n_devices = DEVICES;
		if (of->devices(driver[i], &n_devices, device))
			continue;
		for (uint32_t k = 0; k < n_devices && k < DEVICES; k++)
			if (is_gpu(of, device[k]))
				return true;
	}
	return false;
}

bool pti_find_driver(void)
{
	struct level_zero of;
	void *library = guard_dlopen("libze_loader.so.1", RTLD_LAZY | RTLD_NOLOAD);
	bool has = false;

	if (!library)
		return false;
	*(void **)&of.drivers = glibc.dlsym(library, "zeDriverGet");
	*(void **)&of.devices = glibc.dlsym(library, "zeDeviceGet");
	*(void **)&of.properties = glibc.dlsym(library, "zeDeviceGetProperties");
	has = of.drivers && of.devices && of.properties && has_gpu(&of);
	glibc.dlclose(library); /* it is the program's */
	return has;
}

const char *pti_find(void)
{
	const char *missing = NULL;
	static char why[200];

	pti.library = NULL;
	for (size_t i = 0; names[i] && !pti.library; i++)
		pti.library = guard_dlopen(names[i], RTLD_LAZY | RTLD_NOLOAD);
	if (!pti.library)
		pti.library = guard_dlopen(names[0], RTLD_LAZY | RTLD_LOCAL);
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
