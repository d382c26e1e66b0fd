// SPDX-License-Identifier: Apache-2.0
/* Finds the copy of a runtime that an object belongs to. arm.c finds the copies. */
#include "capture/agent/replace/copies.h"

#include "runtime/find/peek.h"

struct copy copies[MAX_COPIES];
uint32_t n_copies;

struct copy *copies_of_class(uintptr_t vptr)
{
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

void *copies_any_original(const struct runtime *runtime, unsigned family, uintptr_t first, uintptr_t second)
{
	const uintptr_t vptr[] = { peek_word(first), peek_word(second) };
	void *any = NULL, *found;

	for (uint32_t i = n_copies; i-- > 0;) {
		const struct copy *copy = &copies[i];
		if (copy->found.runtime != runtime)
			continue;
		for (int k = 0; k < 2; k++)
			if (vptr[k] && (found = copies_original(copy, vptr[k], family)))
				return found;
		if (copy->original[family] && (!any || !copy->is_gone))
			any = copy->original[family];
	}
	return any;
}
