// SPDX-License-Identifier: Apache-2.0
/* Finds the copy of a runtime that an object belongs to. arm.c finds the copies. */
#include "capture/agent/copies.h"

struct copy copies[MAX_COPIES];
uint32_t n_copies;

struct copy *copies_of(uintptr_t object)
{
	uintptr_t vptr = *(uintptr_t *)object;

	for (uint32_t i = 0; i < n_copies; i++) {
		const struct image *image = &copies[i].image;
		if (!copies[i].is_gone && (vptr - image->relro_start < image->relro_end - image->relro_start ||
					   image_has(image, vptr, IMAGE_R)))
			return &copies[i];
	}
	/* a hook was called, so the module is still loaded and the hook needs the original */
	for (uint32_t i = 0; i < n_copies; i++)
		if (image_has(&copies[i].image, vptr, IMAGE_R))
			return &copies[i];
	return NULL;
}
