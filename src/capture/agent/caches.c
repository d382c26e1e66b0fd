// SPDX-License-Identifier: Apache-2.0
#include "capture/agent/caches.h"

#include "capture/agent/agent.h"

enum { BITS = 12 };

/* The high half of an address's hash, and the number of an inference. */
static uint64_t known[1 << BITS];

static uint64_t hash_of(uint64_t address)
{
	/* another recording numbers its inferences anew */
	uint64_t hash = ((address >> 4) + hot->generation) * 0x9e3779b97f4a7c15u;

	return hash ^ hash >> 32;
}

static uint64_t *place_of(uint64_t hash)
{
	return &known[hash & ((1 << BITS) - 1)];
}

void caches_made(uint64_t address, uint32_t run)
{
	uint64_t hash = hash_of(address);

	if (address)
		__atomic_store_n(place_of(hash), (hash >> 32 << 32) | run, __ATOMIC_RELAXED);
}

uint32_t caches_maker(uint64_t address)
{
	uint64_t hash = hash_of(address), found = __atomic_load_n(place_of(hash), __ATOMIC_RELAXED);

	return address && found >> 32 == hash >> 32 ? (uint32_t)found : 0;
}
