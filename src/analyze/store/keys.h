/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gives things that are known by two numbers one dense number each, from 0: an inference by process and
 * number, a node by name and model. What belongs to a thing then lies in an array under that number.
 */
#ifndef ANALYZE_STORE_KEYS_H
#define ANALYZE_STORE_KEYS_H

#include <stdbool.h>
#include <stdint.h>

#define KEYS_NONE UINT32_MAX

struct keys {
	struct keys_slot *slot;
	uint32_t mask, n;
};

/* The number of (a, b), a new one (= n before the call) if need be. KEYS_NONE: out of memory. */
uint32_t keys_number(struct keys *keys, uint64_t a, uint64_t b);
/* KEYS_NONE if it has no number. */
uint32_t keys_find(const struct keys *keys, uint64_t a, uint64_t b);
void keys_done(struct keys *keys);

static inline uint64_t keys_pair(uint32_t high, uint32_t low)
{
	return (uint64_t)high << 32 | low;
}

#endif
