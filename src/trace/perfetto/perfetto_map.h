/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maps untrusted numbers to ours. Small dense keys, which writers use, are found at the first probe. Keys chosen to
 * collide make the map forget some of them, but never slow.
 */
#ifndef TRACE_PERFETTO_PERFETTO_MAP_H
#define TRACE_PERFETTO_PERFETTO_MAP_H

#include <stdbool.h>
#include <stdint.h>

struct perfetto_map_slot {
	uint64_t key;
	uint32_t value; /* 0: free */
};

struct perfetto_map {
	struct perfetto_map_slot *slot;
	uint32_t n;
	uint32_t bits; /* 2^bits slots */
};

enum { PERFETTO_MAP_PROBES = 64 };

static inline uint32_t perfetto_map_at(const struct perfetto_map *map, uint64_t key)
{
	return (uint32_t)(key * 0x9e3779b97f4a7c15u >> (64 - map->bits));
}

/* 0: absent. */
static inline uint32_t perfetto_map_get(const struct perfetto_map *map, uint64_t key)
{
	uint32_t mask, at;

	if (!map->slot)
		return 0;
	mask = (1u << map->bits) - 1;
	at = perfetto_map_at(map, key);
	for (uint32_t i = 0; i < PERFETTO_MAP_PROBES && map->slot[at].value; i++, at = (at + 1) & mask)
		if (map->slot[at].key == key)
			return map->slot[at].value;
	return 0;
}

/* value is not 0. false: out of memory. */
bool perfetto_map_put(struct perfetto_map *map, uint64_t key, uint32_t value);
void perfetto_map_done(struct perfetto_map *map);

#endif
