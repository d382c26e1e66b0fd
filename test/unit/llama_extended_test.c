// SPDX-License-Identifier: Apache-2.0
/* Batches that are objects of C++, in two layouts: what is found in them, and when nothing is. */
#include <string.h>

#include "capture/agent/llama/llama_in.h"
#include "cases.h"

enum { MOST = 8 };

/* As in libstdc++'s set: a pointer to the first node, how many there are, the node. */
struct node {
	struct node *next;
	int32_t sequence;
};

struct token {
	int32_t number;
	bool has_embedding;
	uint64_t embedding;
	bool is_asked;
	struct {
		void *buckets;
		uint64_t n_buckets;
		struct node *first;
		uint64_t n;
	} sequences;
	int32_t position[4];
};

/* One that keeps sequences in a list, and has more before that. */
struct other_token {
	int32_t number, order;
	uint64_t state;
	int32_t *sequences;
	int32_t position;
	int8_t is_asked;
};

static struct {
	uint64_t n_most, width;
	void *memory;
	char *begin, *end;
} batch;

static union {
	struct token token[MOST];
	struct other_token other[MOST];
} tokens;
static struct node nodes[MOST];
static int32_t lists[MOST];
static bool is_other, is_silent;
static uint32_t n, n_sequences, n_freed;

static word init(word context)
{
	assert_int_equal(context, 5);
	memset(&tokens, 0, sizeof tokens);
	n = 0;
	batch.n_most = MOST;
	batch.begin = batch.end = (char *)&tokens;
	return (word)&batch;
}

static int32_t add(word of, int32_t sequence, int32_t token)
{
	nodes[n].sequence = lists[n] = sequence;
	if (is_other) {
		tokens.other[n].number = token;
		tokens.other[n].sequences = &lists[n];
	} else {
		tokens.token[n].number = token;
		tokens.token[n].sequences.first = &nodes[n];
		tokens.token[n].sequences.n = 1;
	}
	batch.end += is_other ? sizeof(struct other_token) : sizeof(struct token);
	return (int32_t)n++;
}

static bool set_position(word of, int32_t i, const int32_t *position)
{
	if (is_other)
		tokens.other[i].position = *position;
	else
		tokens.token[i].position[0] = *position;
	return true;
}

static bool set_asked(word of, int32_t i, bool is_asked)
{
	if (is_silent)
		return true;
	if (is_other)
		tokens.other[i].is_asked = is_asked;
	else
		tokens.token[i].is_asked = is_asked;
	return true;
}

static void free_batch(word of)
{
	n_freed++;
}

static uint32_t count_sequences(word context)
{
	return n_sequences;
}

static const struct llama_extended functions = { init, add, set_position, set_asked, free_batch, count_sequences };

static bool find(struct llama_token_layout *layout, bool of_other, uint32_t sequences)
{
	bool is_found;

	is_other = of_other;
	n_sequences = sequences;
	n_freed = 0;
	is_found = llama_extended_find(layout, &functions, 5);
	assert_int_equal(n_freed, 1);
	return is_found;
}

TEST(layouts_are_found_by_what_went_in)
{
	struct llama_token_layout layout;

	assert_true(find(&layout, false, 4));
	assert_int_equal(layout.tokens, (char *)&batch.begin - (char *)&batch);
	assert_int_equal(layout.apart, sizeof(struct token));
	assert_int_equal(layout.position, offsetof(struct token, position));
	assert_int_equal(layout.is_asked, offsetof(struct token, is_asked));
	assert_int_equal(layout.sequences, offsetof(struct token, sequences.first));
	assert_int_equal(layout.in_node, offsetof(struct node, sequence));
	assert_true(find(&layout, true, 4));
	assert_int_equal(layout.apart, sizeof(struct other_token));
	assert_int_equal(layout.position, offsetof(struct other_token, position));
	assert_int_equal(layout.is_asked, offsetof(struct other_token, is_asked));
	assert_int_equal(layout.sequences, offsetof(struct other_token, sequences));
	assert_int_equal(layout.in_node, 0);
}

TEST(of_a_context_of_one_sequence_no_sequence_is_looked_for)
{
	struct llama_token_layout layout;

	assert_true(find(&layout, false, 1));
	assert_int_equal(layout.sequences, 0);
}

TEST(a_layout_that_does_not_show_what_went_in_is_left_alone)
{
	struct llama_token_layout layout;

	is_silent = true;
	assert_false(find(&layout, false, 4));
	is_silent = false;
	assert_true(find(&layout, false, 4));
}
