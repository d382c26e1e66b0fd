/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that is allocated piece by piece, straight from the kernel, and freed all at once. For the agent, which must
 * not call the target's malloc. Not thread-safe: callers hold their own lock.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct arena {
	char *block;
	size_t used, size;
	void *first; /* chain of blocks */
};

/* Makes sure that the next allocations, this many bytes in all, need nothing of the kernel. False: out of memory. */
bool arena_reserve(struct arena *arena, size_t size);
/* Zeroed, aligned to 16; NULL when out of memory. Starts from a zeroed struct arena. */
void *arena_alloc(struct arena *arena, size_t size);
/* A larger copy of an array; the old one stays in the arena until arena_done. NULL: out of memory. */
void *arena_grow(struct arena *arena, const void *old, size_t old_size, size_t size);
/* A copy of a text, or of its first len bytes. NULL: out of memory; arena_keep also of NULL. */
char *arena_keep(struct arena *arena, const char *text);
char *arena_keep_part(struct arena *arena, const char *text, size_t len);
void arena_done(struct arena *arena);

#endif
