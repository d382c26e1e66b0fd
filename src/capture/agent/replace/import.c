// SPDX-License-Identifier: Apache-2.0
#include "capture/agent/replace/import.h"

#include <string.h>

#include "capture/agent/replace/hook.h"

static size_t folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t)(slash - path) : 0;
}

static bool are_neighbours(const struct image *a, const struct image *b)
{
	size_t len = folder_of(a->path);

	return len == folder_of(b->path) && !memcmp(a->path, b->path, len);
}

const struct image *import_definer(const struct image *image, const struct image_set *set, const char *name,
				   uint64_t *function)
{
	const struct image *found = NULL;
	bool is_beside = false, is_clear = true;

	for (size_t i = 0; i < set->n; i++) {
		struct dynamic dynamic;
		uint64_t at = dynamic_read(&dynamic, &set->image[i]) ? dynamic_function(&dynamic, name) : 0;
		bool is_here = at && are_neighbours(image, &set->image[i]);
		if (!at || (found && is_beside && !is_here))
			continue;
		is_clear = !found || (is_here && !is_beside);
		is_beside = is_here;
		found = &set->image[i];
		*function = at;
	}
	return is_clear ? found : NULL;
}

const struct image *import_image(const struct image_set *set, uint64_t address)
{
	for (size_t i = 0; i < set->n; i++)
		if (image_has(&set->image[i], address, IMAGE_X))
			return &set->image[i];
	return NULL;
}

uint64_t import_real(const struct dynamic *dynamic, const char *name, uint64_t slot, const struct image_set *set)
{
	uint64_t bound = (uint64_t)hook_original(slot), own = dynamic_function(dynamic, name), found;

	if (!bound)
		bound = image_word(dynamic->image, slot);
	if (bound && !image_has(dynamic->image, bound, IMAGE_X) && import_image(set, bound))
		return bound;
	if (own)
		return own;
	return import_definer(dynamic->image, set, name, &found) ? found : 0;
}
