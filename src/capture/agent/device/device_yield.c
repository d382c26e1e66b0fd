// SPDX-License-Identifier: Apache-2.0
/* Finds the modules that may want a device's library for themselves. Does not know the library. */
#include "capture/agent/device/device_yield.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "capture/agent/glibc.h"
#include "capture/agent/guard.h"
#include "capture/agent/replace/hook.h"
#include "capture/agent/replace/module_walk.h"

struct walk {
	struct image_set set;
	struct device_yield *yield;
};

static bool is_watched(const struct device_yield *yield, const struct image *image)
{
	for (unsigned i = 0; i < yield->n; i++)
		if (yield->image[i].base == image->base)
			return true;
	return false;
}

static bool wants(const struct device_yield *yield, const struct image *image)
{
	for (const struct device_entry *entry = yield->entries; entry->name; entry++)
		if (hook_has_import(image, entry->name))
			return true;
	return false;
}

/* The loader's lock is held, so that nothing can be unloaded. Collects the modules that are not watched yet. */
static int look(struct dl_phdr_info *info, size_t size, void *data)
{
	struct walk *walk = data;
	struct device_yield *yield = walk->yield;
	const struct image_set *set = &walk->set;

	(void)size;
	if (info->dlpi_adds == yield->n_loads || image_set_self(&walk->set))
		return 1;
	for (size_t i = 0; i < set->n && yield->n < YIELD_MODULES; i++)
		if (!is_watched(yield, &set->image[i]) && wants(yield, &set->image[i]))
			yield->image[yield->n++] = set->image[i];
	yield->n_loads = info->dlpi_adds;
	return 1;
}

/* Keeps it loaded. False: it is gone already. */
static bool pin(const struct image *image)
{
	void *handle = *image->path ? guard_dlopen(image->path, RTLD_LAZY | RTLD_NOLOAD) : NULL;

	return !*image->path || (handle && ((struct link_map *)handle)->l_addr == image->base);
}

void device_yield_watch(struct device_yield *yield)
{
	struct walk walk = { .yield = yield };
	unsigned first = yield->n;

	module_walk_begin();
	dl_iterate_phdr(look, &walk);
	module_walk_end();
	for (unsigned at = first; at < yield->n; at++) {
		if (!pin(&yield->image[at])) { /* the last one takes its place */
			yield->image[at--] = yield->image[--yield->n];
			continue;
		}
		yield->image[at].path = ""; /* the set's */
		for (const struct device_entry *entry = yield->entries; entry->name; entry++)
			hook_import(&yield->image[at], entry->name, entry->with);
	}
	image_set_done(&walk.set);
}

void *device_yield_entry(const struct device_yield *yield, const char *name)
{
	for (const struct device_entry *entry = yield->entries; entry->name; entry++)
		if (!strcmp(entry->name, name))
			return entry->with;
	return NULL;
}
