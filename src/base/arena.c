// SPDX-License-Identifier: Apache-2.0
/* Allocates blocks with mmap and chains them by a small header. Quiet: uses neither malloc nor stdio. */
#include "base/arena.h"

#include <string.h>

#include "base/syscalls.h"

enum { BLOCK = 256 << 10, HEAD = 16 };

struct block {
	struct block *next;
	size_t size;
};

bool arena_reserve(struct arena *arena, size_t need)
{
	if (arena->size - arena->used < need) {
		size_t total = need + HEAD > BLOCK ? (need + HEAD + 4095) & ~(size_t)4095 : BLOCK;
		struct block *block = call_map(NULL, total, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (block == MAP_FAILED)
			return false;
		block->next = arena->first;
		block->size = total;
		arena->first = block;
		arena->block = (char *)block;
		arena->used = HEAD;
		arena->size = total;
	}
	return true;
}

void *arena_alloc(struct arena *arena, size_t size)
{
	size_t need = (size + 15) & ~(size_t)15;

	if (need < size || !arena_reserve(arena, need))
		return NULL;
	arena->used += need;
	return arena->block + arena->used - need;
}

void *arena_grow(struct arena *arena, const void *old, size_t old_size, size_t size)
{
	void *new = arena_alloc(arena, size);

	if (new && old_size)
		memcpy(new, old, old_size);
	return new;
}

char *arena_keep_part(struct arena *arena, const char *text, size_t len)
{
	char *kept = arena_alloc(arena, len + 1);

	return kept ? memcpy(kept, text, len) : NULL;
}

char *arena_keep(struct arena *arena, const char *text)
{
	return text ? arena_keep_part(arena, text, strlen(text)) : NULL;
}

void arena_done(struct arena *arena)
{
	for (struct block *block = arena->first, *next; block; block = next) {
		next = block->next;
		call_unmap(block, block->size);
	}
	memset(arena, 0, sizeof *arena);
}
