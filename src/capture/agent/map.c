// SPDX-License-Identifier: Apache-2.0
/* The writer's side of the address map: insertion, and growth into a new table without the removed entries. */
#include "capture/agent/map.h"

#include "capture/agent/agent.h"

static void insert(struct map_table *table, uintptr_t key, void *value)
{
	uint64_t at = map_hash(key) & table->mask;

	while (table->entry[at].key && table->entry[at].key != key)
		at = (at + 1) & table->mask;
	__atomic_store_n(&table->entry[at].value, value, __ATOMIC_RELEASE);
	__atomic_store_n(&table->entry[at].key, key, __ATOMIC_RELEASE);
}

static bool grow(struct map *map)
{
	struct map_table *old = map->table, *table;
	uint64_t living = 0, size = 256;

	for (uint64_t i = 0; old && i <= old->mask; i++)
		living += old->entry[i].value != NULL;
	while (size < living * 4)
		size *= 2;
	table = arena_alloc(&agent.arena, sizeof *table + size * sizeof table->entry[0]);
	if (!table)
		return false;
	table->mask = size - 1;
	for (uint64_t i = 0; old && i <= old->mask; i++)
		if (old->entry[i].value)
			insert(table, old->entry[i].key, old->entry[i].value);
	map->n_used = living;
	__atomic_store_n(&map->table, table, __ATOMIC_RELEASE);
	return true;
}

bool map_put(struct map *map, uintptr_t key, void *value)
{
	bool is_new = true;

	if (map->table)
		for (uint64_t at = map_hash(key) & map->table->mask; map->table->entry[at].key;
		     at = (at + 1) & map->table->mask)
			if (map->table->entry[at].key == key)
				is_new = false;
	if (is_new && !value)
		return true;
	if (is_new && (!map->table || map->n_used * 2 > map->table->mask) && !grow(map))
		return false;
	insert(map->table, key, value);
	map->n_used += is_new;
	return true;
}
