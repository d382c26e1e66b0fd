// SPDX-License-Identifier: Apache-2.0
/* Generations by the calls of a runtime: whatever of calls and inferences comes first in the recording. */
#include <stdio.h>

#include "analyze/generation/generations.h"
#include "analyze/insight/recorded.h"
#include "cases.h"
#include "findings.h"
#include "stream.h"

enum { MAX_CALLS = 64 };

struct fixture {
	struct stream s;
	struct summary *summary;
	struct recorded recorded;
	uint32_t process, lane, calls;
	int64_t number, runs;
	uint64_t us;
	struct {
		const char *name;
		int64_t generator, runs, tokens;
		uint64_t begin_us, end_us;
	} call[MAX_CALLS];
	uint32_t n;
};

static void begin(struct fixture *f)
{
	*f = (struct fixture){ .us = 100 };
	stream_init(&f->s);
	f->process = stream_process(&f->s, 7, "app");
	f->lane = stream_lane(&f->s, f->process, "m");
	f->calls = stream_lane(&f->s, f->process, "tokens");
}

static void infer(struct fixture *f, int64_t generator, int64_t session, const char *shapes, uint64_t took_us)
{
	char name[16];

	sprintf(name, "g%d", (int)generator);
	stream_text(&f->s, KEY_SHAPES, shapes);
	stream_text(&f->s, KEY_SEQUENCES, name);
	stream_int(&f->s, KEY_TID, 8);
	stream_inference(&f->s, f->lane, f->us, session == 1 ? "m" : "other", session, ++f->number);
	f->us += took_us;
	stream_text(&f->s, KEY_STATUS, "ok");
	stream_end(&f->s, f->lane, f->us);
	f->runs++;
}

static void call_begin(struct fixture *f)
{
	assert_true(f->n < MAX_CALLS);
	f->us += 10;
	f->call[f->n].begin_us = f->us;
	f->runs = 0;
	f->us += 1;
}

static void call_end(struct fixture *f, int64_t generator, const char *name, int64_t tokens)
{
	f->us += 4;
	f->call[f->n].end_us = f->us;
	f->call[f->n].name = name;
	f->call[f->n].generator = generator;
	f->call[f->n].runs = f->runs;
	f->call[f->n++].tokens = tokens;
}

static void prompt(struct fixture *f, int64_t generator, int64_t tokens)
{
	char shapes[32];

	sprintf(shapes, "int64[1x%d]", (int)tokens);
	call_begin(f);
	infer(f, generator, 1, shapes, 100);
	call_end(f, generator, "append tokens", tokens);
}

static void sample(struct fixture *f, int64_t generator)
{
	call_begin(f);
	call_end(f, generator, "next token", 1);
}

static void next(struct fixture *f, int64_t generator)
{
	call_begin(f);
	infer(f, generator, 1, "int64[1x1]", 50);
	call_end(f, generator, "next token", 1);
}

static void other(struct fixture *f, int64_t generator, const char *name, int64_t tokens)
{
	call_begin(f);
	call_end(f, generator, name, tokens);
}

static void put_calls(struct fixture *f)
{
	for (uint32_t i = 0; i < f->n; i++) {
		stream_int(&f->s, KEY_ID, f->call[i].generator);
		stream_int(&f->s, KEY_COUNT, f->call[i].runs);
		stream_int(&f->s, KEY_BATCH, f->call[i].tokens);
		stream_int(&f->s, KEY_TID, 8);
		stream_begin(&f->s, f->calls, f->call[i].begin_us, KIND_TOKENS, f->call[i].name);
		stream_end(&f->s, f->calls, f->call[i].end_us);
	}
}

static void find(struct fixture *f)
{
	const struct summary_opts opts = { .with_tokens = true };
	struct summary_file file = { 0 };

	put_calls(f);
	f->summary = stream_summary_of(&f->s, &opts, &file);
	assert_non_null(f->summary);
	assert_int_equal(recorded_init(&f->recorded, f->summary, NULL), 0);
}

static const struct generation *row(const struct fixture *f, uint32_t i)
{
	assert_true(i < f->summary->n_generations);
	return &f->summary->generations[i];
}

static void end(struct fixture *f)
{
	recorded_done(&f->recorded);
	summary_free(f->summary);
	stream_done(&f->s);
}

TEST(a_token_is_there_when_the_call_that_samples_it_returns)
{
	const struct generation *own;
	struct fixture f;

	begin(&f);
	prompt(&f, 5, 16);
	sample(&f, 5);
	next(&f, 5);
	other(&f, 5, "decode text", 0);
	next(&f, 5);
	find(&f);
	own = row(&f, 0);
	assert_int_equal(f.summary->n_generations, 1);
	assert_int_equal(own->prompt_tokens, 16);
	assert_int_equal(own->output_tokens, 3);
	assert_int_equal(own->n_prefills, 1);
	assert_int_equal(own->n_steps, 2);
	/* 105 for the prompt, 10 between the calls, 5 for the sample */
	assert_int_equal(own->first_token_ns, 120000);
	assert_int_equal(own->prefill_ns, 100000);
	assert_int_equal(own->decode_ns, 100000);
	assert_int_equal(own->sampling_ns, 20000);
	assert_int_equal(own->text_ns, 5000);
	assert_true(own->per_token_ns == 72500);
	assert_int_equal(own->end_ns - own->begin_ns, own->prefill_ns + own->decode_ns + own->outside_ns);
	assert_int_equal(own->length, 18);
	assert_int_equal(f.summary->n_tokens, 3);
	assert_int_equal(f.summary->tokens[0].inference, 1);
	assert_int_equal(f.summary->tokens[0].inference_ns, 100000);
	assert_int_equal(f.summary->tokens[1].since_ns, 65000);
	assert_int_equal(f.summary->tokens[1].inference_ns, 50000);
	assert_int_equal(f.summary->tokens[2].since_ns, 80000);
	end(&f);
}

/* The same lengths, one thread: only their numbers tell them apart. */
TEST(generators_that_take_turns_are_told_apart_by_their_numbers)
{
	struct fixture f;

	begin(&f);
	for (int64_t i = 1; i <= 4; i++)
		prompt(&f, i, 16);
	for (int64_t i = 1; i <= 4; i++)
		sample(&f, i);
	for (int n = 0; n < 5; n++)
		for (int64_t i = 4; i >= 1; i--)
			if (i > n - 2)
				next(&f, i);
	find(&f);
	assert_int_equal(f.summary->n_generations, 4);
	for (uint32_t i = 0; i < 4; i++) {
		assert_int_equal(row(&f, i)->prompt_tokens, 16);
		assert_int_equal(row(&f, i)->output_tokens, 1 + (i < 2 ? i + 3 : 5));
		assert_true(row(&f, i)->others_ns > row(&f, i)->decode_ns);
	}
	end(&f);
}

TEST(a_prompt_behind_tokens_or_a_rewind_begins_another_generation)
{
	struct fixture f;

	begin(&f);
	prompt(&f, 1, 20);
	sample(&f, 1);
	next(&f, 1);
	prompt(&f, 1, 7);
	sample(&f, 1);
	other(&f, 1, "rewind", 25);
	prompt(&f, 1, 6);
	sample(&f, 1);
	other(&f, 1, "rewind", 10);
	next(&f, 1);
	next(&f, 1);
	find(&f);
	assert_int_equal(f.summary->n_generations, 4);
	assert_int_equal(row(&f, 0)->cached_tokens, 0);
	assert_int_equal(row(&f, 1)->cached_tokens, 22);
	assert_int_equal(row(&f, 1)->prompt_tokens, 7);
	assert_int_equal(row(&f, 2)->cached_tokens, 25);
	assert_int_equal(row(&f, 2)->length, 31);
	/* the last token goes in again */
	assert_int_equal(row(&f, 3)->cached_tokens, 9);
	assert_int_equal(row(&f, 3)->prompt_tokens, 1);
	assert_int_equal(row(&f, 3)->output_tokens, 2);
	assert_int_equal(row(&f, 3)->first_token_ns, 55000);
	assert_int_equal(row(&f, 3)->prefill_ns, 50000);
	end(&f);
}

/* A runtime that checks drafts makes several tokens by one inference. */
TEST(calls_without_an_inference_make_tokens_and_failed_ones_none)
{
	struct fixture f;

	begin(&f);
	prompt(&f, 3, 8);
	sample(&f, 3);
	next(&f, 3);
	sample(&f, 3);
	sample(&f, 3);
	call_begin(&f);
	infer(&f, 3, 1, "int64[1x1]", 50);
	call_end(&f, 3, "failed call", 1);
	find(&f);
	assert_int_equal(row(&f, 0)->output_tokens, 4);
	assert_int_equal(row(&f, 0)->decode_ns, 50000);
	end(&f);
}

TEST(chunks_and_other_models_of_a_call_are_parts_of_it)
{
	struct fixture f;

	begin(&f);
	call_begin(&f);
	infer(&f, 1, 2, "float32[1x80x3000]", 30);
	infer(&f, 1, 1, "int64[2x8]", 40);
	infer(&f, 1, 1, "int64[2x4]", 20);
	call_end(&f, 1, "append tokens", 24);
	sample(&f, 1);
	call_begin(&f);
	infer(&f, 1, 2, "float32[1x80x1]", 5);
	infer(&f, 1, 1, "int64[2x1]", 10);
	call_end(&f, 1, "next token", 1);
	find(&f);
	assert_int_equal(f.summary->n_generations, 1);
	assert_int_equal(row(&f, 0)->prompt_tokens, 12);
	assert_int_equal(row(&f, 0)->batch, 2);
	assert_int_equal(row(&f, 0)->output_tokens, 4);
	assert_int_equal(row(&f, 0)->n_prefills, 2);
	assert_int_equal(row(&f, 0)->encoder_ns, 30000);
	assert_int_equal(row(&f, 0)->prefill_ns, 90000);
	assert_int_equal(row(&f, 0)->decode_ns, 15000);
	end(&f);
}

TEST(a_lost_inference_does_not_hold_up_the_rest)
{
	struct fixture f;

	begin(&f);
	prompt(&f, 1, 4);
	sample(&f, 1);
	call_begin(&f);
	f.runs = 1;
	call_end(&f, 1, "next token", 1);
	next(&f, 1);
	find(&f);
	assert_int_equal(row(&f, 0)->output_tokens, 3);
	assert_int_equal(row(&f, 0)->decode_ns, 50000);
	end(&f);
}

TEST(a_generator_whose_prompt_was_not_recorded_has_no_first_token)
{
	struct fixture f;

	begin(&f);
	next(&f, 9);
	next(&f, 9);
	other(&f, 9, "release", 0);
	/* nothing is known of this one's model */
	sample(&f, 10);
	find(&f);
	assert_int_equal(f.summary->n_generations, 1);
	assert_int_equal(row(&f, 0)->first_token_ns, 0);
	assert_int_equal(row(&f, 0)->output_tokens, 2);
	end(&f);
}

static void count_made(void *ctx, const struct generation_made *made)
{
	*(uint64_t *)ctx += made->n;
}

/* Calls that come before their inferences wait for them; what is released is forgotten. */
TEST(order_does_not_matter_and_memory_is_given_back)
{
	uint64_t n_made = 0;
	struct generations *to = generations_watch(count_made, &n_made);

	assert_non_null(to);
	for (uint64_t i = 1; i <= 3000; i++) {
		char name[16];
		const uint64_t at = i * 1000;
		struct generation_call call = { .process = 1,
						.thread = 8,
						.generator = i,
						.name = "append tokens",
						.begin_ns = at,
						.end_ns = at + 100,
						.n_runs = 1,
						.n_tokens = 4 };
		struct generation_run run = { .process = 1,
					      .session = 1,
					      .thread = 8,
					      .begin_ns = at + 10,
					      .end_ns = at + 90,
					      .shapes = "int64[1x4]",
					      .sequences = name };

		sprintf(name, "g%d", (int)i);
		if (i % 2)
			assert_int_equal(generations_take(to, &run), 0);
		assert_int_equal(generations_call(to, &call), 0);
		call = (struct generation_call){ .process = 1,
						 .thread = 8,
						 .generator = i,
						 .name = "next token",
						 .begin_ns = at + 200,
						 .end_ns = at + 210,
						 .n_tokens = 1 };
		assert_int_equal(generations_call(to, &call), 0);
		if (!(i % 2))
			assert_int_equal(generations_take(to, &run), 0);
		call.name = "release";
		call.begin_ns = call.end_ns = at + 300;
		assert_int_equal(generations_call(to, &call), 0);
	}
	assert_int_equal(generations_finish(to), 0);
	assert_int_equal(n_made, 3000);
	generations_free(to);
}
