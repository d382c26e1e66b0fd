// SPDX-License-Identifier: Apache-2.0
/* Open addressing over pairs of numbers. */
#include "analyze/store/keys.h"

#include <errno.h>
#include <stdlib.h>

struct keys_slot {
	uint64_t a, b;
	uint32_t number; /* + 1; 0: free */
};

static uint32_t place_of(uint64_t a, uint64_t b, uint32_t mask)
{
	uint64_t hash = (a ^ (b << 32 | b >> 32)) * 0x9e3779b97f4a7c15u;

	hash = (hash ^ hash >> 29 ^ b) * 0xbf58476d1ce4e5b9u;
	return (uint32_t)(hash >> 32) & mask;
}

/* The slot of (a, b), or the free one where it would be. */
static struct keys_slot *slot_of(struct keys_slot *slots, uint32_t mask, uint64_t a, uint64_t b)
{
	uint32_t at = place_of(a, b, mask);

	while (slots[at].number && (slots[at].a != a || slots[at].b != b))
		at = (at + 1) & mask;
	return &slots[at];
}

static int grow(struct keys *keys)
{
	uint64_t size = keys->slot ? ((uint64_t)keys->mask + 1) * 2 : 64;
	struct keys_slot *slots = size <= UINT32_MAX ? calloc(size, sizeof *slots) : NULL;

	if (!slots)
		return -ENOMEM;
	for (uint64_t i = 0; keys->slot && i <= keys->mask; i++)
		if (keys->slot[i].number)
			*slot_of(slots, (uint32_t)(size - 1), keys->slot[i].a, keys->slot[i].b) = keys->slot[i];
	free(keys->slot);
	keys->slot = slots;
	keys->mask = (uint32_t)(size - 1);
	return 0;
}

uint32_t keys_number(struct keys *keys, uint64_t a, uint64_t b)
{
	struct keys_slot *slot;

	if ((!keys->slot || keys->n > keys->mask / 2) && grow(keys))
		return KEYS_NONE;
	slot = slot_of(keys->slot, keys->mask, a, b);
	if (!slot->number)
		*slot = (struct keys_slot){ a, b, ++keys->n };
	return slot->number - 1;
}

uint32_t keys_find(const struct keys *keys, uint64_t a, uint64_t b)
{
	return keys->slot ? slot_of(keys->slot, keys->mask, a, b)->number - 1 : KEYS_NONE;
}

void keys_done(struct keys *keys)
{
	free(keys->slot);
	*keys = (struct keys){ 0 };
}
