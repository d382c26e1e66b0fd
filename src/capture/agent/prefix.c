// SPDX-License-Identifier: Apache-2.0
#include "capture/agent/prefix.h"

#include "capture/agent/agent.h"

enum { BITS = 15, PROBES = 8, MOST_BLOCKS = 4096 };

static uint64_t known[(1 << BITS) + PROBES];

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 32;
}

/* Whether it was there. One of several takes the place of another one if all are in use. */
static bool note(uint64_t hash)
{
	uint64_t *at = &known[hash >> (64 - BITS)], *free = NULL;

	for (unsigned i = 0; i < PROBES; i++) {
		uint64_t found = __atomic_load_n(&at[i], __ATOMIC_RELAXED);

		if (found == hash)
			return true;
		free = !free && !found ? &at[i] : free;
	}
	__atomic_store_n(free ? free : &at[hash % PROBES], hash, __ATOMIC_RELAXED);
	return false;
}

static uint32_t token_at(const int32_t *tokens, size_t apart, size_t i)
{
	return (uint32_t)*(const int32_t *)((const char *)tokens + i * apart);
}

void prefix_begin(struct prefix *prefix, uint64_t owner)
{
	/* another recording begins anew */
	*prefix = (struct prefix){ .hash = mix(mix(1, owner), hot->generation) };
}

void prefix_add(struct prefix *prefix, const int32_t *tokens, size_t apart, size_t n)
{
	size_t n_blocks = n / PREFIX_BLOCK;

	n_blocks = n_blocks < MOST_BLOCKS ? n_blocks : MOST_BLOCKS;
	for (size_t block = 0; block < n_blocks; block++) {
		for (size_t i = 0; i < PREFIX_BLOCK; i++)
			prefix->hash = mix(prefix->hash, token_at(tokens, apart, block * PREFIX_BLOCK + i));
		prefix->is_new = !note(prefix->hash ? prefix->hash : 1) || prefix->is_new;
		prefix->n_seen += prefix->is_new ? 0 : PREFIX_BLOCK;
	}
}

uint32_t prefix_seen_apart(uint64_t owner, const int32_t *tokens, size_t apart, size_t n)
{
	struct prefix prefix;

	prefix_begin(&prefix, owner);
	prefix_add(&prefix, tokens, apart, n);
	return prefix.n_seen;
}

uint32_t prefix_seen(uint64_t owner, const int32_t *tokens, size_t n)
{
	return prefix_seen_apart(owner, tokens, sizeof *tokens, n);
}
