/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows that are found by a number: open addressing. A row begins with its uint64_t key; 0 marks a free slot. `size` is
 * that of a row, the same in each call. Rows move when one is added or removed.
 */
#ifndef BASE_SLOTS_H
#define BASE_SLOTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct slots {
	void *row;
	size_t n, n_slots;
};

static inline uint64_t *slots_at(const struct slots *slots, size_t at, size_t size)
{
	return (uint64_t *)((char *)slots->row + at * size);
}

static inline size_t slots_home(const struct slots *slots, uint64_t key)
{
	return (size_t)(key * 0x9e3779b97f4a7c15u >> 20) & (slots->n_slots - 1);
}

/* The slot of a key, or the free one where it belongs. There must be slots. */
static inline uint64_t *slots_place(const struct slots *slots, uint64_t key, size_t size)
{
	size_t at = slots_home(slots, key);

	while (*slots_at(slots, at, size) && *slots_at(slots, at, size) != key)
		at = (at + 1) & (slots->n_slots - 1);
	return slots_at(slots, at, size);
}

/* NULL: there is none. */
static inline void *slots_find(const struct slots *slots, uint64_t key, size_t size)
{
	uint64_t *row = slots->n_slots ? slots_place(slots, key, size) : NULL;

	return row && *row ? row : NULL;
}

__attribute__((noinline, unused)) static bool slots_grow(struct slots *slots, size_t size)
{
	struct slots grown = { .n = slots->n, .n_slots = slots->n_slots ? 2 * slots->n_slots : 64 };

	grown.row = calloc(grown.n_slots, size);
	if (!grown.row)
		return false;
	for (size_t i = 0; i < slots->n_slots; i++)
		if (*slots_at(slots, i, size))
			memcpy(slots_place(&grown, *slots_at(slots, i, size), size), slots_at(slots, i, size), size);
	free(slots->row);
	*slots = grown;
	return true;
}

/* Room for one more; false: out of memory, and nothing has changed. */
static inline bool slots_room(struct slots *slots, size_t size)
{
	return 2 * slots->n < slots->n_slots || slots_grow(slots, size);
}

/* The row of a key, a new one with the rest zeroed if need be; NULL: out of memory. */
static inline void *slots_get(struct slots *slots, uint64_t key, size_t size)
{
	uint64_t *row = slots_room(slots, size) ? slots_place(slots, key, size) : NULL;

	if (row && !*row) {
		memset(row, 0, size);
		*row = key;
		slots->n++;
	}
	return row;
}

/* Rows behind it move up, so that each is still found from its home. */
static inline void slots_remove(struct slots *slots, void *row, size_t size)
{
	size_t mask = slots->n_slots - 1, hole = (size_t)((char *)row - (char *)slots->row) / size;

	for (size_t at = (hole + 1) & mask; *slots_at(slots, at, size); at = (at + 1) & mask) {
		if (((at - slots_home(slots, *slots_at(slots, at, size))) & mask) < ((at - hole) & mask))
			continue;
		memcpy(slots_at(slots, hole, size), slots_at(slots, at, size), size);
		hole = at;
	}
	*slots_at(slots, hole, size) = 0;
	slots->n--;
}

static inline void slots_done(struct slots *slots)
{
	free(slots->row);
	*slots = (struct slots){ 0 };
}

#endif
