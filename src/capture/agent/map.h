/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A map from addresses to the agent's objects. Look-ups take no lock and never wait: an entry's value is stored before
 * its key, and outgrown tables stay (in the agent's arena) for readers that still use them. Changes are made under the
 * agent's lock.
 */
#ifndef CAPTURE_AGENT_MAP_H
#define CAPTURE_AGENT_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_entry {
	uintptr_t key; /* 0: never used */
	void *value;   /* NULL: removed */
};

struct map_table {
	uint64_t mask;
	struct map_entry entry[];
};

struct map {
	struct map_table *table;
	uint64_t n_used; /* keys in the table, including removed ones */
};

static inline uint64_t map_hash(uintptr_t key)
{
	return (uint64_t)(key >> 3) * 0x9e3779b97f4a7c15u >> 24;
}

static inline void *map_get(const struct map *map, uintptr_t key)
{
	const struct map_table *table = __atomic_load_n(&map->table, __ATOMIC_ACQUIRE);
	uintptr_t found;

	if (!table)
		return NULL;
	for (uint64_t at = map_hash(key) & table->mask;
	     (found = __atomic_load_n(&table->entry[at].key, __ATOMIC_ACQUIRE)); at = (at + 1) & table->mask)
		if (found == key)
			return __atomic_load_n(&table->entry[at].value, __ATOMIC_ACQUIRE);
	return NULL;
}

/* Call under the agent's lock. value NULL removes. False: out of memory, nothing changed. */
bool map_put(struct map *map, uintptr_t key, void *value);

#endif
