// SPDX-License-Identifier: Apache-2.0
/* An open-addressing table that grows; entries are never removed. */
#include "trace/perfetto/perfetto_map.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_BITS = 3, LAST_BITS = 30 };

static bool place(struct perfetto_map *map, uint64_t key, uint32_t value)
{
	uint32_t mask = (1u << map->bits) - 1, at = perfetto_map_at(map, key);

	for (uint32_t i = 0; i < PERFETTO_MAP_PROBES; i++, at = (at + 1) & mask) {
		if (map->slot[at].value && map->slot[at].key != key)
			continue;
		map->n += !map->slot[at].value;
		map->slot[at] = (struct perfetto_map_slot){ key, value };
		return true;
	}
	return false;
}

static bool grow(struct perfetto_map *map)
{
	struct perfetto_map bigger = { .bits = map->slot ? map->bits + 1 : FIRST_BITS };

	bigger.slot = calloc((size_t)1 << bigger.bits, sizeof *bigger.slot);
	if (!bigger.slot)
		return false;
	for (size_t i = 0; map->slot && i < (size_t)1 << map->bits; i++)
		if (map->slot[i].value)
			place(&bigger, map->slot[i].key, map->slot[i].value);
	free(map->slot);
	*map = bigger;
	return true;
}

bool perfetto_map_put(struct perfetto_map *map, uint64_t key, uint32_t value)
{
	if ((!map->slot || map->n * 2 >= 1u << map->bits) && map->bits < LAST_BITS && !grow(map))
		return false;
	while (!place(map, key, value)) {
		/*
		 * Keys that collide on purpose: a larger table may separate them, but is only made if the table is full
		 * enough.
		 */
		if (map->bits >= LAST_BITS || map->n < 1u << map->bits >> 3)
			return true;
		if (!grow(map))
			return false;
	}
	return true;
}

void perfetto_map_done(struct perfetto_map *map)
{
	free(map->slot);
	memset(map, 0, sizeof *map);
}
