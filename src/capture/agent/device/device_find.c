// SPDX-License-Identifier: Apache-2.0
/* Looks for a device's library in the folders of what belongs to it. */
#include "capture/agent/device/device_find.h"

#include <stdbool.h>
#include <string.h>

#include "capture/agent/glibc.h"
#include "capture/agent/guard.h"
#include "capture/agent/replace/module_walk.h"

enum { PATH = 1024, MORE = 128 };

static bool is_near(const struct device_beside *beside, const char *name)
{
	for (const char *const *near = beside->near; *near; near++)
		if (!strncmp(name, *near, strlen(*near)))
			return true;
	return false;
}

/* From the folder of this file, of which `len` bytes are the folder. */
static void *open_from(const struct device_beside *beside, const char *file, size_t len)
{
	static char path[PATH + MORE];
	void *library = NULL;

	memcpy(path, file, len);
	for (const char *const *folder = beside->folders; *folder && !library; folder++)
		for (const char *const *name = beside->names; *name && !library; name++) {
			stpcpy(stpcpy(stpcpy(path + len, *folder), "/"), *name);
			library = guard_dlopen(path, beside->mode);
		}
	return library;
}

void *device_open_beside(const struct device_beside *beside)
{
	struct image_set set = { 0 };
	void *library = NULL;

	if (module_walk_images(&set))
		return NULL;
	for (size_t i = 0; i < set.n && !library; i++) {
		const char *file = set.image[i].path, *slash = strrchr(file, '/');

		if (slash && slash - file < PATH && is_near(beside, slash + 1))
			library = open_from(beside, file, (size_t)(slash - file));
	}
	image_set_done(&set);
	return library;
}
