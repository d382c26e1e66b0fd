/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a prompt begins as an earlier one did. Keeps hashes of whole blocks of tokens, each with all before it, in a
 * table of fixed size: no token leaves it, and what it has forgotten counts as new. Any thread, without a lock.
 */
#ifndef CAPTURE_AGENT_PREFIX_H
#define CAPTURE_AGENT_PREFIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PREFIX_BLOCK = 16 };

/* A prompt that is looked at part by part. */
struct prefix {
	uint64_t hash;
	uint32_t n_seen; /* tokens at its begin that an earlier prompt of the same owner began with */
	bool is_new;	 /* others follow these */
};

void prefix_begin(struct prefix *prefix, uint64_t owner);
/* Its next tokens, so many bytes apart, in whole blocks: the rest of n is left out. Notes them. */
void prefix_add(struct prefix *prefix, const int32_t *tokens, size_t apart, size_t n);

/* A prompt as a whole: its n_seen. */
uint32_t prefix_seen(uint64_t owner, const int32_t *tokens, size_t n);
uint32_t prefix_seen_apart(uint64_t owner, const int32_t *tokens, size_t apart, size_t n);

#endif
