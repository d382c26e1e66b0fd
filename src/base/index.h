/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds things that lie in an array by what they are: a hash table of their numbers, at most half full. 0 marks a free
 * place. Compares nothing: whoever looks up walks from the place of a hash to the first free one, which is then the
 * place of a new thing:
 *
 *   for (at = hash & index->mask; index->number[at]; at = (at + 1) & index->mask)
 */
#ifndef BASE_INDEX_H
#define BASE_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Starts zeroed; its number is the caller's to free. */
struct index {
	uint32_t *number, mask;
};

/* The hash of the thing with this number. */
typedef uint32_t index_hash(const void *of, uint32_t number);

__attribute__((noinline, unused)) static bool index_grow(struct index *index, index_hash *hash, const void *of)
{
	uint32_t size = index->number ? (index->mask + 1) * 2 : 256;
	struct index grown = { calloc(size, sizeof *grown.number), size - 1 };

	if (!grown.number)
		return false;
	for (uint32_t i = 0; index->number && i <= index->mask; i++) {
		uint32_t at;

		if (!index->number[i])
			continue;
		at = hash(of, index->number[i]) & grown.mask;
		while (grown.number[at])
			at = (at + 1) & grown.mask;
		grown.number[at] = index->number[i];
	}
	free(index->number);
	*index = grown;
	return true;
}

/* Room for one more than n. False: out of memory, and nothing has changed. */
static inline bool index_room(struct index *index, size_t n, index_hash *hash, const void *of)
{
	return n < ((size_t)index->mask + 1) / 2 || index_grow(index, hash, of);
}

#endif
