// SPDX-License-Identifier: Apache-2.0
/* A hash table with open addressing, at most half full. */
#include <errno.h>
#include <string.h>

#include "model/onnx/onnx_in.h"

struct onnx_map_slot {
	const char *key;
	void *value;
};

static uint64_t hash_of(const char *key)
{
	uint64_t hash = 0xcbf29ce484222325;

	for (; *key; key++)
		hash = (hash ^ (unsigned char)*key) * 0x100000001b3;
	return hash ^ hash >> 29;
}

/* The slot of the key, or the free slot where it belongs. */
static struct onnx_map_slot *slot_of(const struct onnx_map *map, const char *key)
{
	uint64_t at = hash_of(key);

	for (;; at++) {
		struct onnx_map_slot *slot = &map->slots[at & (map->n_slots - 1)];

		if (!slot->key || !strcmp(slot->key, key))
			return slot;
	}
}

void *onnx_map_get(const struct onnx_map *map, const char *key)
{
	return map->n_slots ? slot_of(map, key)->value : NULL;
}

static int grow(struct onnx_map *map)
{
	struct onnx_map old = *map;

	map->n_slots = old.n_slots ? 2 * old.n_slots : 16;
	map->slots = arena_alloc(map->arena, map->n_slots * sizeof *map->slots);
	if (!map->slots) {
		*map = old;
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < old.n_slots; i++) {
		if (old.slots[i].key)
			*slot_of(map, old.slots[i].key) = old.slots[i];
	}
	return 0;
}

int onnx_map_put(struct onnx_map *map, const char *key, void *value)
{
	struct onnx_map_slot *slot;

	if (map->n >= map->n_slots / 2 && (map->n >= UINT32_MAX / 4 || grow(map)))
		return -ENOMEM;
	slot = slot_of(map, key);
	map->n += !slot->key;
	*slot = (struct onnx_map_slot){ key, value };
	return 0;
}
