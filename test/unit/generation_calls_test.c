// SPDX-License-Identifier: Apache-2.0
/* Generations by the calls of a runtime: in a recording, whatever of calls and inferences comes first. */
#include <stdio.h>

#include "analyze/generation/generations_in.h"
#include "analyze/insight/recorded.h"
#include "cases.h"
#include "findings.h"
#include "stream.h"

enum { MAX_CALLS = 8192 };

struct fixture {
	struct stream s;
	struct summary *summary;
	struct recorded recorded;
	uint32_t process, lane, calls;
	int64_t number, runs;
	uint64_t us;
	struct {
		const char *name;
		int64_t generator, runs, tokens, seen;
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
	char seen[16];

	for (uint32_t i = 0; i < f->n; i++) {
		stream_int(&f->s, KEY_ID, f->call[i].generator);
		stream_int(&f->s, KEY_COUNT, f->call[i].runs);
		stream_int(&f->s, KEY_BATCH, f->call[i].tokens);
		stream_int(&f->s, KEY_TID, 8);
		sprintf(seen, "~%d", (int)f->call[i].seen);
		if (f->call[i].seen)
			stream_text(&f->s, KEY_SEQUENCES, seen);
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

TEST(of_generations_in_turns_the_time_outside_is_a_part_of_all_their_time)
{
	/* one alone; eight in turns, with short pauses, and with longer ones */
	for (int how = 0; how < 3; how++) {
		const struct summary_generations *of;
		const struct finding *between;
		struct fixture f;
		int n = how ? 8 : 1;

		begin(&f);
		for (int k = 0; k < 30; k++)
			for (int i = 1; i <= n; i++) {
				k ? next(&f, i) : prompt(&f, i, 16);
				f.us += how == 1 ? 0 : 20;
			}
		find(&f);
		of = &f.summary->models[0].generations;
		assert_int_equal(of->n, n);
		between = findings_of(f.recorded.model, "between_tokens", 0);
		assert_int_equal(between != NULL, how != 1);
		if (between)
			assert_true(between->value == (double)of->outside_ns / (double)of->wall_ns);
		end(&f);
	}
}

#define CASE(name) TEST_OF(name, struct fixture, f, begin(f), end(f))

CASE(generations_in_turns_are_found_however_many_there_are)
{
	for (int i = 0; i < GENERATIONS_LISTED / 2 + 1; i++)
		for (int k = 0; k < 4; k++) { /* two by two */
			stream_text(&f->s, KEY_SEQUENCES, &"0:0+4/1\0001:0+4/1\0000:4+1/1\0001:4+1/1"[8 * k]);
			stream_int(&f->s, KEY_TID, 8);
			stream_inference(&f->s, f->lane, f->us, "m", 1, ++f->number);
			stream_text(&f->s, KEY_STATUS, "ok");
			stream_end(&f->s, f->lane, f->us += 100);
		}
	find(f);
	assert_int_equal(f->summary->models[0].generations.n, GENERATIONS_LISTED + 2);
	assert_non_null(findings_of(f->recorded.model, "generations_in_turn", 0));
}

CASE(of_several_sequences_one_may_begin_as_an_earlier_prompt)
{
	/* nothing, one of four sequences, and all of them began as earlier ones */
	for (int i = 1; i <= 3; i++) {
		call_begin(f);
		infer(f, i, 1, "int64[4x64]", 100);
		call_end(f, i, "append tokens", 4 * 64);
		f->call[f->n - 1].seen = i == 1 ? 0 : i == 2 ? 64 : 4 * 64;
		for (int k = 0; k < 3; k++) {
			call_begin(f);
			infer(f, i, 1, "int64[4x1]", 50);
			call_end(f, i, "next token", 1);
		}
		other(f, i, "release", 0);
	}
	find(f);
	assert_int_equal(f->summary->n_generations, 3);
	assert_int_equal(row(f, 0)->seen_tokens, 0);
	assert_int_equal(row(f, 1)->seen_tokens, 16);
	assert_int_equal(row(f, 2)->seen_tokens, 64);
	assert_int_equal(f->summary->models[0].generations.prompt_tokens, 3 * 4 * 64);
	assert_int_equal(f->summary->models[0].generations.seen_tokens, 5 * 64);
}

CASE(a_token_is_there_when_the_call_that_samples_it_returns)
{
	const struct generation *own;

	prompt(f, 5, 16);
	sample(f, 5);
	next(f, 5);
	other(f, 5, "decode text", 0);
	next(f, 5);
	find(f);
	own = row(f, 0);
	assert_int_equal(f->summary->n_generations, 1);
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
	assert_int_equal(f->summary->n_tokens, 3);
	assert_int_equal(f->summary->tokens[0].inference, 1);
	assert_int_equal(f->summary->tokens[0].inference_ns, 100000);
	assert_int_equal(f->summary->tokens[1].since_ns, 65000);
	assert_int_equal(f->summary->tokens[1].inference_ns, 50000);
	assert_int_equal(f->summary->tokens[2].since_ns, 80000);
}

/* The same lengths, one thread: only their numbers tell them apart. */
CASE(generators_that_take_turns_are_told_apart_by_their_numbers)
{
	for (int64_t i = 1; i <= 4; i++)
		prompt(f, i, 16);
	for (int64_t i = 1; i <= 4; i++)
		sample(f, i);
	for (int n = 0; n < 5; n++)
		for (int64_t i = 4; i >= 1; i--)
			if (i > n - 2)
				next(f, i);
	find(f);
	assert_int_equal(f->summary->n_generations, 4);
	for (uint32_t i = 0; i < 4; i++) {
		assert_int_equal(row(f, i)->prompt_tokens, 16);
		assert_int_equal(row(f, i)->output_tokens, 1 + (i < 2 ? i + 3 : 5));
		assert_true(row(f, i)->others_ns > row(f, i)->decode_ns);
	}
}

CASE(a_prompt_behind_tokens_or_a_rewind_begins_another_generation)
{
	prompt(f, 1, 20);
	sample(f, 1);
	next(f, 1);
	prompt(f, 1, 7);
	sample(f, 1);
	other(f, 1, "rewind", 25);
	prompt(f, 1, 6);
	sample(f, 1);
	other(f, 1, "rewind", 10);
	next(f, 1);
	next(f, 1);
	find(f);
	assert_int_equal(f->summary->n_generations, 4);
	assert_int_equal(row(f, 0)->cached_tokens, 0);
	assert_int_equal(row(f, 1)->cached_tokens, 22);
	assert_int_equal(row(f, 1)->prompt_tokens, 7);
	assert_int_equal(row(f, 2)->cached_tokens, 25);
	assert_int_equal(row(f, 2)->length, 31);
	/* the last token goes in again */
	assert_int_equal(row(f, 3)->cached_tokens, 9);
	assert_int_equal(row(f, 3)->prompt_tokens, 1);
	assert_int_equal(row(f, 3)->output_tokens, 2);
	assert_int_equal(row(f, 3)->first_token_ns, 55000);
	assert_int_equal(row(f, 3)->prefill_ns, 50000);
}

/* A runtime that checks drafts makes several tokens by one inference. */
CASE(calls_without_an_inference_make_tokens_and_failed_ones_none)
{
	prompt(f, 3, 8);
	sample(f, 3);
	next(f, 3);
	sample(f, 3);
	sample(f, 3);
	call_begin(f);
	infer(f, 3, 1, "int64[1x1]", 50);
	call_end(f, 3, "failed call", 1);
	find(f);
	assert_int_equal(row(f, 0)->output_tokens, 4);
	assert_int_equal(row(f, 0)->decode_ns, 50000);
}

CASE(chunks_and_other_models_of_a_call_are_parts_of_it)
{
	call_begin(f);
	infer(f, 1, 2, "float32[1x80x3000]", 30);
	infer(f, 1, 1, "int64[2x8]", 40);
	infer(f, 1, 1, "int64[2x4]", 20);
	call_end(f, 1, "append tokens", 24);
	sample(f, 1);
	call_begin(f);
	infer(f, 1, 2, "float32[1x80x1]", 5);
	infer(f, 1, 1, "int64[2x1]", 10);
	call_end(f, 1, "next token", 1);
	find(f);
	assert_int_equal(f->summary->n_generations, 1);
	assert_int_equal(row(f, 0)->prompt_tokens, 12);
	assert_int_equal(row(f, 0)->batch, 2);
	assert_int_equal(row(f, 0)->output_tokens, 4);
	assert_int_equal(row(f, 0)->n_prefills, 2);
	assert_int_equal(row(f, 0)->encoder_ns, 30000);
	assert_int_equal(row(f, 0)->prefill_ns, 90000);
	assert_int_equal(row(f, 0)->decode_ns, 15000);
}

CASE(a_lost_inference_does_not_hold_up_the_rest)
{
	prompt(f, 1, 4);
	sample(f, 1);
	call_begin(f);
	f->runs = 1;
	call_end(f, 1, "next token", 1);
	next(f, 1);
	find(f);
	assert_int_equal(row(f, 0)->output_tokens, 3);
	assert_int_equal(row(f, 0)->decode_ns, 50000);
}

CASE(a_generator_whose_prompt_was_not_recorded_has_no_first_token)
{
	next(f, 9);
	next(f, 9);
	other(f, 9, "release", 0);
	/* nothing is known of this one's model */
	sample(f, 10);
	find(f);
	assert_int_equal(f->summary->n_generations, 1);
	assert_int_equal(row(f, 0)->first_token_ns, 0);
	assert_int_equal(row(f, 0)->output_tokens, 2);
}

/* A request of `n` tokens. */
static void request(struct fixture *f, int64_t generator, int n)
{
	prompt(f, generator, 16);
	sample(f, generator);
	for (int i = 1; i < n; i++)
		next(f, generator);
	other(f, generator, "release", 0);
}

/* All its inferences are in the window of the summary when the first call is read. */
CASE(a_generator_of_many_tokens_has_its_prompt)
{
	request(f, 7, 300);
	find(f);
	assert_int_equal(f->summary->n_generations, 1);
	assert_int_equal(row(f, 0)->prompt_tokens, 16);
	assert_int_equal(row(f, 0)->output_tokens, 300);
	assert_int_equal(row(f, 0)->first_token_ns, 120000);
	assert_int_equal(row(f, 0)->prefill_ns, 100000);
	assert_int_equal(row(f, 0)->decode_ns, 299 * 50000);
}

CASE(thousands_of_short_requests_are_all_found)
{
	for (int i = 1; i <= 2000; i++)
		request(f, i, 2);
	find(f);
	assert_int_equal(f->summary->n_generations, 2000);
	for (uint32_t i = 0; i < 2000; i++) {
		assert_int_equal(row(f, i)->prompt_tokens, 16);
		assert_int_equal(row(f, i)->output_tokens, 2);
		assert_int_equal(row(f, i)->decode_ns, 50000);
	}
}

TEST(calls_may_all_come_before_the_inferences)
{
	struct fixture f, first;

	begin(&first);
	request(&first, 7, 300);
	begin(&f);
	memcpy(f.call, first.call, sizeof f.call);
	f.n = first.n;
	put_calls(&f);
	f.n = 0;
	request(&f, 7, 300);
	f.n = 0;
	find(&f);
	assert_int_equal(f.summary->n_generations, 1);
	assert_int_equal(row(&f, 0)->prompt_tokens, 16);
	assert_int_equal(row(&f, 0)->output_tokens, 300);
	assert_int_equal(row(&f, 0)->decode_ns, 299 * 50000);
	end(&f);
	stream_done(&first.s);
}

/* A batch of engine 1, with a token of each of these requests; 0 ends them. */
static void batch(struct fixture *f, const char *shapes, const int64_t *requests)
{
	call_begin(f);
	infer(f, 1, 1, shapes, 100);
	call_end(f, 1, "run engine", 0);
	for (; *requests; requests++) {
		f->call[f->n] = f->call[f->n - 1];
		f->call[f->n].begin_us = f->us;
		f->call[f->n].name = "token";
		f->call[f->n].generator = *requests;
		f->call[f->n++].tokens = 1;
	}
}

static void queue(struct fixture *f, int64_t request, int64_t tokens)
{
	other(f, request, "new request", 1);
	other(f, request, "begin turn", tokens);
}

CASE(requests_of_an_engine_are_a_generation_each)
{
	static const int prompts[] = { 16, 30, 7 }, tokens[] = { 4, 6, 2 };

	queue(f, 2, 16);
	queue(f, 3, 30);
	batch(f, "int64[2x30]", (int64_t[]){ 2, 3, 0 });
	queue(f, 4, 7);
	for (int i = 0; i < 3; i++)
		batch(f, "int64[2x1]", (int64_t[]){ 3, 2, 0 });
	batch(f, "int64[2x7]", (int64_t[]){ 4, 3, 0 }); /* one leaves, one comes */
	batch(f, "int64[2x1]", (int64_t[]){ 4, 3, 0 });
	find(f);
	assert_int_equal(f->summary->n_generations, 3);
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(row(f, i)->prompt_tokens, prompts[i]);
		assert_int_equal(row(f, i)->output_tokens, tokens[i]);
		assert_int_equal(row(f, i)->batch, 1);
		assert_int_equal(row(f, i)->n_prefills, 1);
		assert_int_equal(row(f, i)->prefill_ns, 100000);
		assert_int_equal(row(f, i)->decode_ns, (tokens[i] - 1) * 100000);
	}
	/* from when it was handed over: 15 for the call, 10 up to the next one, and 30 for those of the second request
	 */
	assert_int_equal(row(f, 0)->first_token_ns, 5000 + 30000 + 10000 + 105000);
	assert_true(row(f, 0)->per_token_ns == 115000 + 30000.0 / 3);
	/* it waited for three batches of others */
	assert_int_equal(row(f, 2)->others_ns, 3 * 105000);
	assert_int_equal(row(f, 2)->first_token_ns, 5000 + 4 * 115000);
	assert_int_equal(f->summary->n_tokens, 12);
}

CASE(a_request_that_goes_on_has_what_it_has_made_in_its_cache)
{
	queue(f, 2, 16);
	batch(f, "int64[1x16]", (int64_t[]){ 2, 0 });
	batch(f, "int64[1x1]", (int64_t[]){ 2, 2, 2, 0 }); /* two of a draft, too */
	other(f, 2, "cached prompt", 10);
	other(f, 2, "begin turn", 5);
	batch(f, "int64[1x5]", (int64_t[]){ 2, 0 });
	other(f, 2, "release", 0);
	find(f);
	assert_int_equal(f->summary->n_generations, 2);
	assert_int_equal(row(f, 0)->prompt_tokens, 6);
	assert_int_equal(row(f, 0)->cached_tokens, 10);
	assert_int_equal(row(f, 0)->output_tokens, 4);
	assert_int_equal(row(f, 1)->prompt_tokens, 5);
	assert_int_equal(row(f, 1)->cached_tokens, 20);
	assert_int_equal(row(f, 1)->output_tokens, 1);
}

/* It is found by its tokens; a batch whose inferences were lost says nothing. */
CASE(a_request_that_was_made_before_has_no_first_token)
{
	call_begin(f);
	call_end(f, 1, "run engine", 0);
	batch(f, "int64[1x1]", (int64_t[]){ 5, 0 });
	batch(f, "int64[1x1]", (int64_t[]){ 5, 0 });
	find(f);
	assert_int_equal(f->summary->n_generations, 1);
	assert_int_equal(row(f, 0)->first_token_ns, 0);
	assert_int_equal(row(f, 0)->output_tokens, 2);
}

/* In chunks, each with an inference of another session before it. */
static void long_prompt(int n)
{
	struct fixture f;

	begin(&f);
	call_begin(&f);
	for (int i = 0; i < n; i++) {
		infer(&f, 5, 2, "float32[1x80]", 10);
		infer(&f, 5, 1, "int64[1x16]", 40);
	}
	f.runs = f.runs < 255 ? f.runs : 255; /* the agent counts no further */
	call_end(&f, 5, "append tokens", n * 16);
	sample(&f, 5);
	next(&f, 5);
	find(&f);
	assert_int_equal(f.summary->n_generations, 1);
	assert_int_equal(row(&f, 0)->prompt_tokens, n * 16);
	assert_int_equal(row(&f, 0)->n_prefills, n);
	assert_int_equal(row(&f, 0)->prefill_ns, n * 50000);
	assert_int_equal(row(&f, 0)->encoder_ns, n * 10000);
	assert_int_equal(row(&f, 0)->sampling_ns, 15000);
	assert_int_equal(row(&f, 0)->output_tokens, 2);
	assert_int_equal(row(&f, 0)->decode_ns, 50000);
	end(&f);
}

TEST(a_prompt_may_go_in_in_many_chunks)
{
	long_prompt(31);
	long_prompt(100);
	long_prompt(1000);
}

/* A prompt in chunks may lie behind inferences whose call is lost. */
CASE(what_is_left_of_a_lost_call_is_not_taken_for_a_part_of_the_next)
{
	prompt(f, 5, 16);
	sample(f, 5);
	for (int i = 0; i < 100; i++)
		infer(f, 5, 1, "int64[1x1]", 50);
	next(f, 5);
	find(f);
	assert_int_equal(row(f, 0)->output_tokens, 2);
	assert_int_equal(row(f, 0)->prefill_ns, 100000);
	assert_int_equal(row(f, 0)->decode_ns, 50000);
}

/* As in a damaged recording. */
CASE(inferences_that_lie_over_each_other_leave_no_time_for_the_sampling)
{
	const struct generation *own;

	call_begin(f);
	infer(f, 5, 2, "float32[1x80]", 100);
	f->us -= 100;
	f->lane = stream_lane(&f->s, f->process, "m");
	infer(f, 5, 1, "int64[1x16]", 100);
	call_end(f, 5, "append tokens", 16);
	sample(f, 5);
	next(f, 5);
	find(f);
	own = row(f, 0);
	assert_int_equal(own->sampling_ns, 10000);
	assert_int_equal(own->prefill_ns, 105000);
	assert_int_equal(own->encoder_ns, 100000);
	assert_int_equal(own->end_ns - own->begin_ns, own->prefill_ns + own->decode_ns + own->outside_ns);
	assert_int_equal(f->summary->tokens[0].inference_ns, 105000);
}

static void count_made(void *ctx, const struct generation_made *made)
{
	*(uint64_t *)ctx += made->n;
}

static void call(struct generations *to, uint64_t generator, const char *name, uint64_t begin_ns, uint64_t end_ns)
{
	const struct generation_call own = { .process = 1,
					     .thread = 8,
					     .generator = generator,
					     .name = name,
					     .begin_ns = begin_ns,
					     .end_ns = end_ns,
					     .n_tokens = 4 };

	assert_int_equal(generations_call(to, &own), 0);
}

static void infer_one(struct generations *to, uint64_t generator, uint64_t begin_ns, uint64_t end_ns)
{
	char name[16];
	const struct generation_run run = { .process = 1,
					    .session = 1,
					    .thread = 8,
					    .begin_ns = begin_ns,
					    .end_ns = end_ns,
					    .shapes = "int64[1x4]",
					    .sequences = name };

	sprintf(name, "g%d", (int)generator);
	assert_int_equal(generations_take(to, &run), 0);
}

/* Every third one has lost the inference of its second token. */
TEST(what_is_released_is_forgotten)
{
	uint64_t n_made = 0;
	struct generations *to = generations_watch(count_made, &n_made);

	assert_non_null(to);
	for (uint64_t i = 1; i <= 3000; i++) {
		const uint64_t at = i * 1000;

		infer_one(to, i, at + 10, at + 90);
		call(to, i, "append tokens", at, at + 100);
		call(to, i, "next token", at + 200, at + 210);
		if (i % 3)
			infer_one(to, i, at + 230, at + 240);
		call(to, i, "next token", at + 220, at + 250);
		assert_int_equal(to->generators.n, 1);
		call(to, i, "release", at + 300, at + 300);
		assert_int_equal(to->generators.n, 0);
	}
	assert_int_equal(generations_finish(to), 0);
	assert_int_equal(n_made, 6000);
	generations_free(to);
}

TEST(calls_of_a_generator_without_inferences_are_not_kept)
{
	static const char *const names[] = { "decode text", "rewind", "release", "next token", "append tokens" };
	uint64_t n_made = 0;
	struct generations *to = generations_watch(count_made, &n_made);

	assert_non_null(to);
	for (uint64_t i = 0; i < 1000; i++)
		call(to, i + 1, names[i % 5], i * 100, i * 100 + 10);
	assert_int_equal(to->generators.n, 0);
	assert_int_equal(generations_finish(to), 0);
	assert_int_equal(n_made, 0);
	generations_free(to);
}

TEST(of_generators_whose_calls_never_come_the_last_ones_are_kept)
{
	uint64_t n_made = 0;
	struct generations *to = generations_watch(count_made, &n_made);

	assert_non_null(to);
	for (uint64_t i = 0; i < 100000; i++)
		infer_one(to, i / 100 + 1, i * 100, i * 100 + 10);
	for (uint64_t i = 0; i < 5000; i++)
		infer_one(to, i + 2000, (100000 + i) * 100, (100000 + i) * 100 + 10);
	assert_int_equal(to->generators.n, 1024);
	call(to, 6999, "append tokens", 100000 * 100, 105000 * 100);
	call(to, 6999, "next token", 105001 * 100, 105001 * 100 + 10);
	assert_int_equal(generations_finish(to), 0);
	assert_int_equal(n_made, 1);
	generations_free(to);
}
