// SPDX-License-Identifier: Apache-2.0
/* The writer's side of the address map: insertion, and the change to another table without the removed entries. */
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

/* Look-ups may be in it: whoever reads one of these stores also reads the new version. */
static void overwrite(struct map *map, struct map_table *table)
{
	__atomic_store_n(&map->version, map->version + 1, __ATOMIC_RELEASE);
	for (uint64_t i = 0; i <= table->mask; i++) {
		__atomic_store_n(&table->entry[i].key, 0, __ATOMIC_RELEASE);
		__atomic_store_n(&table->entry[i].value, NULL, __ATOMIC_RELEASE);
	}
}

/* An empty table, of at least the size of the present one: the spare one, or a new one. NULL: out of memory. */
static struct map_table *other_table(struct map *map, uint64_t living)
{
	uint64_t size = map->table ? map->table->mask + 1 : 256;
	struct map_table *table = map->spare;

	while (size < living * 4)
		size *= 2;
	if (table && table->mask + 1 == size) {
		overwrite(map, table);
		return table;
	}
	table = arena_alloc(&agent.arena, sizeof *table + size * sizeof table->entry[0]);
	if (table)
		table->mask = size - 1;
	return table;
}

static bool make_room(struct map *map)
{
	struct map_table *old = map->table, *table;
	uint64_t living = 0;

	for (uint64_t i = 0; old && i <= old->mask; i++)
		living += old->entry[i].value != NULL;
	table = other_table(map, living);
	if (!table)
		return false;
	for (uint64_t i = 0; old && i <= old->mask; i++)
		if (old->entry[i].value)
			insert(table, old->entry[i].key, old->entry[i].value);
	/* in this order: a fork may come in between, and the child goes on with what there is */
	__atomic_store_n(&map->spare, NULL, __ATOMIC_RELEASE);
	__atomic_store_n(&map->table, table, __ATOMIC_RELEASE);
	__atomic_store_n(&map->spare, old && old->mask == table->mask ? old : NULL, __ATOMIC_RELEASE);
	__atomic_store_n(&map->n_used, living, __ATOMIC_RELEASE);
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
	if (is_new && (!map->table || map->n_used * 2 > map->table->mask) && !make_room(map))
		return false;
	insert(map->table, key, value);
	map->n_used += is_new;
	return true;
}

void map_clear(struct map *map)
{
	for (uint64_t i = 0; map->table && i <= map->table->mask; i++)
		__atomic_store_n(&map->table->entry[i].value, NULL, __ATOMIC_RELEASE);
}
