// SPDX-License-Identifier: Apache-2.0
/* Generations of one length, whose inferences name the one before them. */
#include <stdio.h>

#include "analyze/generation/generations.h"
#include "cases.h"

enum { SIDE = 4, STEPS = 13, PROMPT = 16, UNKNOWN = 1000000, REST_NS = 10, RUN_NS = 100 };

struct fixture {
	struct generations *found;
	struct generation_run run;
	uint64_t last[SIDE]; /* number of the last inference of each */
};

static void begin(struct fixture *f)
{
	*f = (struct fixture){ .run = { .process = 1, .session = 1, .thread = 8 } };
	f->found = generations_new(true);
	assert_non_null(f->found);
}

static void end(struct fixture *f)
{
	generations_free(f->found);
}

static uint64_t infer(struct fixture *f, const char *shapes, uint64_t follows)
{
	f->run.begin_ns = f->run.end_ns + REST_NS;
	f->run.end_ns = f->run.begin_ns + RUN_NS;
	f->run.number++;
	f->run.follows = follows;
	f->run.shapes = shapes;
	assert_int_equal(generations_take(f->found, &f->run), 0);
	return f->run.number;
}

static uint64_t decoder(struct fixture *f, unsigned tokens, unsigned cached, uint64_t follows)
{
	char shapes[100];

	snprintf(shapes, sizeof shapes, "int64[1x%u],float32[1x4x%ux32],float32[1x4x%ux32]", tokens, cached, cached);
	return infer(f, shapes, follows);
}

/* Each is whole, and its last token is that of its own last inference. */
static void assert_own(struct fixture *f)
{
	const struct generation *row;
	const struct generation_token *token;

	assert_int_equal(generations_finish(f->found), 0);
	row = generations_rows(f->found)->data;
	token = generations_tokens(f->found)->data;
	assert_int_equal(generations_rows(f->found)->n, SIDE);
	assert_int_equal(generations_tokens(f->found)->n, SIDE * (STEPS + 1));
	for (unsigned i = 0; i < SIDE; i++) {
		assert_int_equal(row[i].output_tokens, STEPS + 1);
		assert_int_equal(row[i].prompt_tokens, PROMPT);
	}
	for (unsigned i = 0; i < SIDE * (STEPS + 1); i++)
		if (token[i].number == STEPS + 1)
			assert_int_equal(token[i].inference,
					 f->last[row[token[i].generation].begin_ns / (REST_NS + RUN_NS)]);
}

#define CASE(name) TEST_OF(name, struct fixture, f, begin(f), end(f))

CASE(they_are_told_apart_in_any_order_and_on_any_thread)
{
	for (unsigned i = 0; i < SIDE; i++)
		f->last[i] = decoder(f, PROMPT, 0, 0);
	for (unsigned n = 0; n < STEPS; n++)
		for (unsigned i = 0; i < SIDE; i++) {
			unsigned at = n % 2 ? SIDE - 1 - i : i;

			f->run.thread = 8 + (n + i) % 3;
			f->last[at] = decoder(f, 1, PROMPT + n, f->last[at]);
		}
	assert_own(f);
}

/* A program copies caches to where those of others were. */
CASE(names_do_not_count_where_many_lead_nowhere)
{
	for (unsigned i = 0; i < SIDE; i++)
		f->last[i] = decoder(f, PROMPT, 0, 0);
	for (unsigned n = 0; n < STEPS; n++)
		for (unsigned i = 0; i < SIDE; i++)
			f->last[i] = decoder(f, 1, PROMPT + n, i % 2 ? f->last[(i + 2) % SIDE] : UNKNOWN);
	assert_own(f);
}

CASE(a_prompt_without_caches_is_named_by_its_first_step)
{
	char shapes[20];

	snprintf(shapes, sizeof shapes, "int64[1x%d]", PROMPT);
	for (unsigned i = 0; i < SIDE; i++)
		f->last[i] = infer(f, shapes, 0);
	for (unsigned n = 0; n < STEPS; n++)
		for (unsigned i = SIDE; i-- > 0;)
			f->last[i] = decoder(f, 1, PROMPT + n, f->last[i]);
	assert_own(f);
}

static void batch(struct fixture *f, const char *sequences)
{
	f->run.begin_ns = f->run.end_ns + REST_NS;
	f->run.end_ns = f->run.begin_ns + RUN_NS;
	f->run.number++;
	f->run.shapes = NULL;
	f->run.sequences = sequences;
	assert_int_equal(generations_take(f->found, &f->run), 0);
}

/* 2 of 4 tokens taken, then all, then none but the first; beside it one that checks none. */
CASE(drafts_of_sequences_without_numbers_are_checked_in_their_generation)
{
	const struct generation *row;

	batch(f, "?:0+40/1,?:0+90/1");
	batch(f, "?:40+4/4,?:90+1/1");
	batch(f, "?:43+4/4,?:91+1/1");
	batch(f, "?:47+4/4,?:92+1/1");
	batch(f, "?:48+1/1");
	/* a prompt behind a cache that no other one is as long as */
	batch(f, "?:32+8/1");
	batch(f, "?:40+1/1");
	assert_int_equal(generations_finish(f->found), 0);
	row = generations_rows(f->found)->data;
	assert_int_equal(generations_rows(f->found)->n, 3);
	assert_int_equal(row[0].output_tokens, 1 + 3 + 4 + 1 + 1);
	assert_int_equal(row[0].n_steps, 4);
	assert_int_equal(row[1].output_tokens, 4);
	assert_int_equal(row[2].output_tokens, 2);
	assert_int_equal(row[2].cached_tokens, 32);
}

CASE(a_prompt_that_is_in_the_cache_has_a_first_token)
{
	const struct generation *row;

	/* the server's slot gets the same request again */
	batch(f, "0:0+10/1");
	for (int i = 0; i < 7; i++)
		batch(f, (const char *[]){ "0:10+1/1", "0:11+1/1", "0:9+1/1", "0:10+1/1", "0:11+1/1", "0:6+1/1",
					   "0:7+1/1" }[i]);
	assert_int_equal(generations_finish(f->found), 0);
	row = generations_rows(f->found)->data;
	assert_int_equal(generations_rows(f->found)->n, 3);
	/* its prompt is shorter */
	assert_int_equal(row[2].cached_tokens, 6);
	assert_int_equal(row[2].output_tokens, 2);
	assert_int_equal(row[0].output_tokens, 3);
	assert_int_equal(row[1].output_tokens, 3);
	assert_int_equal(row[1].cached_tokens, 9);
	assert_int_equal(row[1].prompt_tokens, 1);
	assert_int_equal(row[1].first_token_ns, RUN_NS);
}

CASE(a_later_sequence_without_a_number_begins_with_what_is_not_in_the_cache)
{
	const struct generation *row;
	char text[2][30];

	/* one that goes on from before the recording, for long enough; then the same prompt as that of a third */
	for (int i = 0; i < 20; i++) {
		snprintf(text[i % 2], sizeof *text, "?:%d+1/1", 200 + i);
		batch(f, text[i % 2]);
	}
	batch(f, "?:63+1/1");
	batch(f, "?:64+1/1");
	assert_int_equal(generations_finish(f->found), 0);
	row = generations_rows(f->found)->data;
	assert_int_equal(generations_rows(f->found)->n, 2);
	assert_int_equal(row[0].output_tokens, 20);
	assert_int_equal(row[0].first_token_ns, 0);
	assert_int_equal(row[1].output_tokens, 2);
	assert_int_equal(row[1].cached_tokens, 63);
	assert_int_equal(row[1].first_token_ns, RUN_NS);
}
