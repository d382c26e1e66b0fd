/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a prompt begins as an earlier one did. Keeps hashes of whole blocks of tokens, each with all before it, in a
 * table of fixed size: no token leaves it, and what it has forgotten counts as new. Any thread, without a lock.
 */
#ifndef CAPTURE_AGENT_PREFIX_H
#define CAPTURE_AGENT_PREFIX_H

#include <stddef.h>
#include <stdint.h>

enum { PREFIX_BLOCK = 16 };

/* How many tokens at the begin of these, in whole blocks, an earlier prompt of the same owner began with. Notes them.
 */
uint32_t prefix_seen(uint64_t owner, const int32_t *tokens, size_t n);
/* The same for tokens that lie so many bytes apart. */
uint32_t prefix_seen_apart(uint64_t owner, const int32_t *tokens, size_t apart, size_t n);

#endif
