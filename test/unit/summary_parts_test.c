// SPDX-License-Identifier: Apache-2.0
/* Inferences with more operators than can wait: their operators count where they end, and others keep theirs. */
#include <stdio.h>

#include "cases.h"
#include "stream.h"

enum { SMALL = 20, OPS_SMALL = 3, OPS_LARGE = 100, LARGE_BEGIN = 950 };

struct fixture {
	struct stream s;
	struct summary *summary;
	uint32_t lane, other_lane, thread, other_thread;
};

static void operator(struct fixture *f, uint32_t thread, uint64_t at_us, const char *name, int64_t number)
{
	stream_operator(&f->s, thread, at_us, name, "Sin", number);
	stream_end(&f->s, thread, at_us + 1);
}

/* 20 inferences of 3 operators, which come before the inference that they belong to; beside them one that has 100. */
static void begin(struct fixture *f)
{
	uint32_t process;
	int n = 0;

	*f = (struct fixture){ 0 };
	stream_init(&f->s);
	process = stream_process(&f->s, 100, "app");
	f->lane = stream_lane(&f->s, process, "m");
	f->other_lane = stream_lane(&f->s, process, "m");
	f->thread = stream_thread(&f->s, process, 101);
	f->other_thread = stream_thread(&f->s, process, 102);
	stream_inference(&f->s, f->other_lane, LARGE_BEGIN, "m", 1, 1000);
	for (int64_t i = 1; i <= SMALL; i++) {
		uint64_t at_us = 1000 + 100 * (uint64_t)i;

		for (int k = 0; k < OPS_SMALL; k++)
			operator(f, f->thread, at_us + 10 * (uint64_t)k, "small", i);
		for (int k = 0; k < OPS_LARGE / SMALL; k++)
			operator(f, f->other_thread, at_us + 10 * (uint64_t)k, n++ % 2 ? "odd" : "even", 1000);
		stream_inference(&f->s, f->lane, at_us, "m", 1, i);
		stream_text(&f->s, KEY_STATUS, "ok");
		stream_end(&f->s, f->lane, at_us + 50);
	}
}

static const struct summary_model *summarise(struct fixture *f)
{
	struct summary_file file = { 0 };

	/* 64 operators may wait */
	f->summary = stream_summary_of(&f->s, &(struct summary_opts){ .window = 4 }, &file);
	assert_int_equal(f->summary->n_models, 1);
	return &f->summary->models[0];
}

static void end(struct fixture *f)
{
	summary_free(f->summary);
	stream_done(&f->s);
}

static uint64_t calls(const struct fixture *f, enum summary_where where)
{
	const struct summary *summary = f->summary;
	uint64_t n = 0;

	for (uint32_t i = 0; i < (where == WHERE_INFERENCE ? summary->n_nodes : summary->n_elsewhere); i++) {
		const struct summary_operator *of =
		    where == WHERE_INFERENCE ? &summary->nodes[i] : &summary->elsewhere[i];

		n += of->where == where ? of->n : 0;
	}
	return n;
}

TEST(of_one_that_never_ends_the_operators_are_apart)
{
	struct fixture fixture, *f = &fixture;
	const struct summary_model *model;

	(void)state;
	begin(f);
	model = summarise(f);
	assert_int_equal(model->runs.n_open, 1);
	assert_int_equal(model->runs.latency.n, SMALL);
	assert_int_equal(model->coverage.n, SMALL);
	assert_int_equal(model->coverage.n_without, 0);
	assert_int_equal(model->coverage.operators_ns, SMALL * OPS_SMALL * 1000);
	assert_int_equal(model->nodes.n, 1);
	assert_int_equal(calls(f, WHERE_INFERENCE), SMALL * OPS_SMALL);
	assert_int_equal(calls(f, WHERE_UNFINISHED), OPS_LARGE);
	assert_int_equal(calls(f, WHERE_UNKNOWN), 0);
	end(f);
}

TEST(of_one_that_fails_the_operators_are_apart)
{
	struct fixture fixture, *f = &fixture;
	const struct summary_model *model;

	(void)state;
	begin(f);
	stream_text(&f->s, KEY_STATUS, "bad shape");
	stream_end(&f->s, f->other_lane, 4000);
	model = summarise(f);
	assert_int_equal(model->runs.n_failed, 1);
	assert_int_equal(model->coverage.n, SMALL);
	assert_int_equal(calls(f, WHERE_INFERENCE), SMALL * OPS_SMALL);
	assert_int_equal(calls(f, WHERE_APART), OPS_LARGE);
	end(f);
}

TEST(of_one_that_ends_well_the_operators_are_among_the_others)
{
	struct fixture fixture, *f = &fixture;
	const struct summary_model *model;

	(void)state;
	begin(f);
	stream_text(&f->s, KEY_STATUS, "ok");
	stream_end(&f->s, f->other_lane, 4000);
	model = summarise(f);
	assert_int_equal(model->runs.latency.n, SMALL + 1);
	assert_int_equal(model->coverage.n, SMALL + 1);
	assert_int_equal(model->coverage.n_without, 0);
	assert_int_equal(model->coverage.operators_ns, (SMALL * OPS_SMALL + OPS_LARGE) * 1000);
	assert_int_equal(model->coverage.wall_ns, SMALL * 50000 + (4000 - LARGE_BEGIN) * 1000);
	assert_int_equal(model->nodes.n, 3);
	assert_int_equal(calls(f, WHERE_INFERENCE), SMALL * OPS_SMALL + OPS_LARGE);
	assert_int_equal(f->summary->n_elsewhere, 0);
	end(f);
}

/* The place of one in the window is used again: what the first left there is not the second's. */
TEST(the_next_large_one_begins_anew)
{
	struct fixture fixture, *f = &fixture;
	const struct summary_model *model;

	(void)state;
	begin(f);
	stream_text(&f->s, KEY_STATUS, "bad shape");
	stream_end(&f->s, f->other_lane, 4000);
	for (int64_t i = 2000; i < 2010; i++) {
		uint64_t at_us = 5000 + 1000 * (uint64_t)(i - 2000);

		stream_inference(&f->s, f->other_lane, at_us, "m", 1, i);
		for (int k = 0; k < OPS_LARGE; k++)
			operator(f, f->other_thread, at_us + 5 * (uint64_t)k, "even", i);
		stream_text(&f->s, KEY_STATUS, i % 2 ? "bad shape" : "ok");
		stream_end(&f->s, f->other_lane, at_us + 600);
	}
	model = summarise(f);
	assert_int_equal(model->runs.n_failed, 6);
	assert_int_equal(model->coverage.n, SMALL + 5);
	assert_int_equal(calls(f, WHERE_INFERENCE), SMALL * OPS_SMALL + 5 * OPS_LARGE);
	assert_int_equal(calls(f, WHERE_APART), 6 * OPS_LARGE);
	end(f);
}
