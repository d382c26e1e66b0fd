/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An array that grows. Elements may move when one is added; struct array owns them until array_done. A large array
 * lives in anonymous pages, which grow without a copy and take memory only when touched.
 */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

struct array {
	void *data;
	size_t n, capacity;
};

/*
 * Resizes a block to `bytes` and keeps its content (old_bytes; 0 with NULL). NULL: out of memory, the old block is
 * unchanged.
 */
void *array_resize(void *old, size_t old_bytes, size_t bytes);
void array_free(void *block, size_t bytes);
/* Gives memory behind used_bytes back; the block keeps its size. */
void array_trim(void *block, size_t bytes, size_t used_bytes);

/*
 * Room for `n` elements in an array of malloc's, which a pointer and a capacity in elements describe; what is new is
 * zeroed. False: out of memory, and nothing has changed. Reads n twice.
 */
#define ARRAY_ROOM(data, capacity, n) \
	((n) <= (capacity) || ({ \
		 size_t room_ = (capacity); \
		 void *grown_ = array_room(data, &room_, n, sizeof *(data)); \
		 if (grown_) { \
			 (data) = grown_; \
			 (capacity) = (__typeof__(capacity))room_; \
		 } \
		 grown_ != NULL; \
	 }))
void *array_room(void *data, size_t *capacity, size_t n, size_t size);

/* Appends an element of `size` bytes, zeroed; NULL: out of memory. size is the same on each call. */
void *array_add(struct array *array, size_t size);
/* The same, for whoever sets all of the element: it may hold anything. */
static inline void *array_add_raw(struct array *array, size_t size)
{
	return array->n < array->capacity ? (char *)array->data + array->n++ * size : array_add(array, size);
}
/* Where element `at` is or will be; NULL while the array has none. */
static inline const void *array_from(const struct array *array, size_t at, size_t size)
{
	return array->data ? (const char *)array->data + at * size : NULL;
}
void array_done(struct array *array, size_t size);

#endif
