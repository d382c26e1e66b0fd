// SPDX-License-Identifier: Apache-2.0
/* Resizes blocks of memory: malloc for small ones, anonymous pages for large ones. */
#include "base/array.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { LARGE = 1 << 20, HUGE_PAGE = 2 << 20, FIRST = 16, FIRST_ROOM = 4 };

static size_t round_up(size_t bytes)
{
	return (bytes + HUGE_PAGE - 1) & ~(size_t)(HUGE_PAGE - 1);
}

static bool is_large(size_t bytes)
{
	return bytes >= LARGE;
}

/* Aligned, so that the kernel can use huge pages: a page fault costs more than the work on the page. */
static void *map_pages(size_t bytes)
{
	size_t whole = round_up(bytes) + HUGE_PAGE;
	char *start = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	char *aligned;

	if (start == MAP_FAILED)
		return NULL;
	aligned = (char *)round_up((size_t)start);
	if (aligned > start)
		munmap(start, (size_t)(aligned - start));
	munmap(aligned + round_up(bytes), (size_t)(start + whole - aligned) - round_up(bytes));
	madvise(aligned, round_up(bytes), MADV_HUGEPAGE);
	return aligned;
}

static void *copy_pages(void *old, size_t old_bytes, size_t bytes)
{
	void *block = map_pages(bytes);

	if (block) {
		memcpy(block, old, old_bytes);
		munmap(old, round_up(old_bytes));
	}
	return block;
}

/*
 * Moves and grows in one call: of pages that were moved to the begin of others, two mappings would be left, which
 * kernels before Linux 6.17 refuse to move again. They have unmapped the place by then, so it is not used after a
 * refusal.
 */
static void *grow_pages(void *old, size_t old_bytes, size_t bytes)
{
	void *block = mremap(old, round_up(old_bytes), round_up(bytes), 0), *place;

	if (block == MAP_FAILED) {
		place = map_pages(bytes);
		if (!place)
			return NULL;
		block = mremap(old, round_up(old_bytes), round_up(bytes), MREMAP_MAYMOVE | MREMAP_FIXED, place);
	}
	if (block == MAP_FAILED)
		return copy_pages(old, old_bytes, bytes);
	madvise(block, round_up(bytes), MADV_HUGEPAGE);
	return block;
}

void *array_resize(void *old, size_t old_bytes, size_t bytes)
{
	void *block;

	if (bytes > SIZE_MAX / 2)
		return NULL;
	if (!is_large(bytes))
		return realloc(old, bytes);
	if (is_large(old_bytes))
		return grow_pages(old, old_bytes, bytes);
	block = map_pages(bytes);
	if (block && old) {
		memcpy(block, old, old_bytes);
		free(old);
	}
	return block;
}

void array_trim(void *block, size_t bytes, size_t used_bytes)
{
	size_t from = round_up(used_bytes);

	if (block && is_large(bytes) && from < round_up(bytes))
		madvise((char *)block + from, round_up(bytes) - from, MADV_DONTNEED);
}

void array_free(void *block, size_t bytes)
{
	if (block && is_large(bytes))
		munmap(block, round_up(bytes));
	else
		free(block);
}

void *array_room(void *data, size_t *capacity, size_t n, size_t size)
{
	size_t more = *capacity ? *capacity : FIRST_ROOM;
	char *grown;

	while (more < n && more <= UINT32_MAX / 2)
		more *= 2;
	if (more < n || more > SIZE_MAX / size)
		return NULL;
	grown = realloc(data, more * size);
	if (!grown)
		return NULL;
	memset(grown + *capacity * size, 0, (more - *capacity) * size);
	*capacity = more;
	return grown;
}

void *array_add(struct array *array, size_t size)
{
	void *element;

	if (array->n == array->capacity) {
		size_t capacity = array->capacity ? array->capacity * 2 : FIRST;
		void *data = array_resize(array->data, array->capacity * size, capacity * size);

		if (!data)
			return NULL;
		array->data = data;
		array->capacity = capacity;
	}
	element = (char *)array->data + array->n++ * size;
	memset(element, 0, size);
	return element;
}

void array_done(struct array *array, size_t size)
{
	array_free(array->data, array->capacity * size);
	*array = (struct array){ 0 };
}
