/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An array that grows. Elements may move when one is added; struct array owns them until array_done.
 * Large ones live in pages of their own, which grow without a copy and are only taken when touched.
 */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <stddef.h>

struct array {
	void *data;
	size_t n, capacity;
};

/* A bigger block with the old one's content (old_bytes, 0 with NULL), or NULL: memory is out and the old one stays. */
void *array_resize(void *old, size_t old_bytes, size_t bytes);
void array_free(void *block, size_t bytes);

/* One more element of `size` bytes, zeroed, or NULL: memory is out. size is the same on each call. */
void *array_add(struct array *array, size_t size);
void array_done(struct array *array, size_t size);

#endif
