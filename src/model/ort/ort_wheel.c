// SPDX-License-Identifier: Apache-2.0
/* Loads the runtime inside a Python module without Python, and finds its API table in memory. */
#include "model/ort/ort_wheel.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "runtime/ort/ort.h"

bool ort_wheel_is_module(const char *path)
{
	const char *slash = strrchr(path, '/');

	return strstr(slash ? slash : path, "onnxruntime_pybind11_state") != NULL;
}

static const struct image *image_of(const struct image_set *set, void *library)
{
	struct link_map *map;

	if (dlinfo(library, RTLD_DI_LINKMAP, &map))
		return NULL;
	for (size_t i = 0; i < set->n; i++)
		if (set->image[i].base == map->l_addr && !strcmp(set->image[i].path, map->l_name))
			return &set->image[i];
	return NULL;
}

static int find_table(struct ort_wheel *wheel, const char *path, struct err *err)
{
	struct arena arena = { 0 };
	struct image_set set = { 0 };
	struct rtti rtti;
	struct runtime_found ort = { 0 };
	const struct image *image;
	int code = image_set_self(&set);

	image = code ? NULL : image_of(&set, wheel->library);
	if (!code && image && !rtti_scan(&rtti, image, &set, &arena) && ort_is_in(&rtti))
		runtimes_find(&ort, &runtime_onnxruntime, &rtti, NULL);
	wheel->table = (void *const *)(uintptr_t)ort.api;
	wheel->n_slots = ort.n_api;
	snprintf(wheel->version, sizeof wheel->version, "%s", ort.version ? ort.version : "");
	arena_done(&arena);
	image_set_done(&set);
	if (code)
		return err_set(err, -code, "cannot read %s: %s", path, strerror(-code));
	if (!wheel->table || !*wheel->version)
		return err_set(err, ENOTSUP,
			       "cannot use %s as the runtime: its C API table was not found in this Python module; "
			       "pass libonnxruntime.so, which lies beside it from 1.19 on, or that of onnxruntime-node",
			       path);
	return 0;
}

int ort_wheel_open(struct ort_wheel *wheel, const char *path, struct err *err)
{
	int code = wheel_names_load(path, err);

	memset(wheel, 0, sizeof *wheel);
	if (code)
		return code;
	wheel->library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
	if (!wheel->library)
		return err_set(err, ENOENT, "cannot load %s: %s", path, dlerror());
	code = find_table(wheel, path, err);
	/* this look-up makes an agent inspect the module, and change its table */
	if (!code)
		dlsym(wheel->library, "PyInit_onnxruntime_pybind11_state");
	return code;
}
