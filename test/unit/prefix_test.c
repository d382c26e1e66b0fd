// SPDX-License-Identifier: Apache-2.0
/* Prompts that begin as earlier ones did: what is compared, of whom, and what a full table forgets. */
#include "capture/agent/prefix.h"

#include "capture/agent/agent.h"
#include "cases.h"

enum { TOKENS = 5 * PREFIX_BLOCK };

static void fill(int32_t tokens[TOKENS], int32_t first)
{
	for (int32_t i = 0; i < TOKENS; i++)
		tokens[i] = first + i;
}

TEST(whole_blocks_at_the_begin_are_compared)
{
	int32_t tokens[TOKENS];

	(void)state;
	fill(tokens, 100);
	assert_int_equal(prefix_seen(1, tokens, TOKENS - 1), 0);
	assert_int_equal(prefix_seen(1, tokens, TOKENS - 1), TOKENS - PREFIX_BLOCK);
	assert_int_equal(prefix_seen(1, tokens, TOKENS), TOKENS - PREFIX_BLOCK);
	assert_int_equal(prefix_seen(1, tokens, PREFIX_BLOCK - 1), 0);
	tokens[2 * PREFIX_BLOCK]++;
	assert_int_equal(prefix_seen(1, tokens, TOKENS), 2 * PREFIX_BLOCK);
	tokens[0]++;
	assert_int_equal(prefix_seen(1, tokens, TOKENS), 0);
	/* the same block elsewhere is another one */
	assert_int_equal(prefix_seen(1, tokens + PREFIX_BLOCK, PREFIX_BLOCK), 0);
}

TEST(another_owner_and_another_recording_begin_anew)
{
	struct hot own = { .generation = 7 }, *before = hot;
	int32_t tokens[TOKENS];

	(void)state;
	fill(tokens, 1000);
	assert_int_equal(prefix_seen(1, tokens, TOKENS), 0);
	assert_int_equal(prefix_seen(2, tokens, TOKENS), 0);
	hot = &own;
	assert_int_equal(prefix_seen(1, tokens, TOKENS), 0);
	hot = before;
	assert_int_equal(prefix_seen(1, tokens, TOKENS), TOKENS);
}

TEST(what_is_forgotten_counts_as_new)
{
	enum { PROMPTS = 1 << 14 };
	int32_t tokens[TOKENS];
	unsigned n_kept = 0;

	(void)state;
	for (int32_t i = 0; i < PROMPTS; i++) { /* more blocks than places */
		fill(tokens, (i + 1) << 8);
		assert_int_equal(prefix_seen(3, tokens, TOKENS), 0);
	}
	for (int32_t i = 0; i < PROMPTS; i++) {
		fill(tokens, (i + 1) << 8);
		n_kept += prefix_seen(3, tokens, TOKENS) == TOKENS;
	}
	assert_true(n_kept < PROMPTS);
}

TEST(tokens_may_lie_apart_and_come_in_parts)
{
	int32_t tokens[TOKENS];
	struct {
		int32_t number;
		uint64_t rest;
	} apart[TOKENS];
	struct prefix prefix;

	(void)state;
	fill(tokens, 5000);
	for (int i = 0; i < TOKENS; i++)
		apart[i].number = tokens[i];
	assert_int_equal(prefix_seen(4, tokens, TOKENS), 0);
	assert_int_equal(prefix_seen_apart(4, &apart[0].number, sizeof *apart, TOKENS), TOKENS);
	prefix_begin(&prefix, 4);
	prefix_add(&prefix, tokens, sizeof *tokens, (size_t)2 * PREFIX_BLOCK);
	prefix_add(&prefix, tokens + 3 * PREFIX_BLOCK, sizeof *tokens, PREFIX_BLOCK + 1);
	assert_int_equal(prefix.n_seen, 2 * PREFIX_BLOCK);
	assert_true(prefix.is_new);
}
