/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A map from addresses to the agent's objects. Changes are made under the agent's lock; look-ups take no lock.
 *
 * Addresses come and go without end, so a table fills up with removed entries. Then the living entries are copied to
 * the spare table of the same size, and the two tables change places. A look-up may still be in the table that is
 * overwritten: `version` is increased before, and map_get repeats a look-up that has overlapped with that. A table is
 * never freed and keeps its size, and at least half of it is free, so that such a look-up always ends.
 *
 * A look-up that does not compare versions (on the hot path) must check that the value belongs to the key.
 */
#ifndef CAPTURE_AGENT_MAP_H
#define CAPTURE_AGENT_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_entry {
	uintptr_t key; /* 0: never used */
	void *value;   /* NULL: removed. Stored before the key */
};

struct map_table {
	uint64_t mask;
	struct map_entry entry[];
};

struct map {
	struct map_table *table;
	struct map_table *spare; /* of the same size; NULL: none yet */
	uint64_t n_used;	 /* keys in the table, including removed ones */
	uint64_t version;	 /* increased before a table is overwritten */
};

static inline uint64_t map_hash(uintptr_t key)
{
	return (uint64_t)(key >> 3) * 0x9e3779b97f4a7c15u >> 24;
}

static inline void *map_find(const struct map_table *table, uintptr_t key)
{
	uintptr_t found;

	if (!table)
		return NULL;
	for (uint64_t at = map_hash(key) & table->mask;
	     (found = __atomic_load_n(&table->entry[at].key, __ATOMIC_ACQUIRE)); at = (at + 1) & table->mask)
		if (found == key)
			return __atomic_load_n(&table->entry[at].value, __ATOMIC_ACQUIRE);
	return NULL;
}

static inline void *map_get(const struct map *map, uintptr_t key)
{
	uint64_t version;
	void *value;

	do {
		version = __atomic_load_n(&map->version, __ATOMIC_ACQUIRE);
		value = map_find(__atomic_load_n(&map->table, __ATOMIC_ACQUIRE), key);
	} while (version != __atomic_load_n(&map->version, __ATOMIC_ACQUIRE));
	return value;
}

/* Call under the agent's lock. value NULL removes. False: out of memory, nothing changed. */
bool map_put(struct map *map, uintptr_t key, void *value);
/* Removes all. Call under the agent's lock. */
void map_clear(struct map *map);

#endif
