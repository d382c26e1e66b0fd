/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Made-up runs of a program, as they differ on a real machine: noise of each call, calls that were preempted, a machine
 * that changes slowly, and what differs from run to run for the whole program and for each operator.
 */
#ifndef TEST_UNIT_DIFF_MADE_H
#define TEST_UNIT_DIFF_MADE_H

#include <math.h>

#include "analyze/diff/diff.h"
#include "stream.h"

struct made_run {
	uint64_t seed;
	int n_inferences, n_operators; /* of the type MatMul */
	int slow;		       /* the operator that is slower; -1: none */
	double slower;		       /* 1.05 */
	double drift, preempted; /* deviation of the machine's slow change; share of calls that take thrice as long */
	double between;		 /* deviation from run to run, of the whole program; each operator has a third */
	double pressure;	 /* of CPUs, in percent; below 0: not recorded */
	const char *machine, *level, *model, *suffix; /* suffix: of the names of operators */
	bool is_without_operators;
	double rss;   /* bytes at the end; 0: not recorded */
	double large; /* share of inferences whose inputs are 8 times as large, which take as long; 0: no shapes */
	int apart;    /* sizes that each of three inputs has, apart from the others; 0: as large says */
};

static inline double made_uniform(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return ((double)(*state >> 11) + 0.5) / 9007199254740992.0;
}

static inline double made_normal(uint64_t *state)
{
	double radius = sqrt(-2 * log(made_uniform(state)));

	return radius * cos(2 * 3.14159265358979 * made_uniform(state));
}

static inline struct made_run made_plain(uint64_t seed)
{
	return (struct made_run){ .seed = seed * 7919 + 17,
				  .n_inferences = 160,
				  .n_operators = 8,
				  .slow = -1,
				  .slower = 1,
				  .drift = 0.01,
				  .preempted = 0.02,
				  .between = 0.008,
				  .pressure = 0,
				  .machine = "a machine",
				  .level = "operator",
				  .model = "m",
				  .suffix = "" };
}

static inline void made_note(struct stream *s, uint32_t process, const struct made_run *made)
{
	stream_text(s, KEY_LEVEL, made->level);
	stream_text(s, KEY_MACHINE, made->machine);
	stream_instant(s, process, 1, KIND_NOTE, EVENT_NOTE_RECORDING);
	if (made->pressure >= 0) {
		uint32_t track = stream_counter(s, 0, "cpu pressure", "%");

		for (uint64_t at = 1; at < 5; at++)
			stream_sample(s, track, at * 1000000, made->pressure);
	}
}

/* What a run is like from beginning to end. */
struct made_state {
	uint64_t seed;
	double run, machine, size, own[64];
	uint64_t us;
};

static inline uint64_t made_duration(const struct made_run *made, struct made_state *state, int op)
{
	double us = 4000 * (1 + op % 3) * state->run * state->machine * state->size * state->own[op] *
		    exp(0.02 * made_normal(&state->seed)) * (op == made->slow ? made->slower : 1);

	return (uint64_t)(us * (made_uniform(&state->seed) < made->preempted ? 3 : 1));
}

static inline void made_inputs(struct stream *s, const struct made_run *made, struct made_state *state)
{
	char shapes[64];
	int n[3], all = 0;

	for (int i = 0; i < 3; i++)
		all += n[i] = 1 << (int)(made_uniform(&state->seed) * made->apart);
	snprintf(shapes, sizeof shapes, "int64[1x%d],float32[%dx1],float32[1x%d]", n[0], n[1], n[2]);
	stream_text(s, KEY_SHAPES, shapes);
	state->size = 1 + all / 64.0;
}

static inline void made_inference(struct stream *s, const struct made_run *made, struct made_state *state,
				  uint32_t lane, uint32_t thread, int number)
{
	char name[80];

	state->machine = exp(0.98 * log(state->machine) + 0.2 * made->drift * made_normal(&state->seed));
	state->size = 1;
	if (made->large > 0) {
		state->size = made_uniform(&state->seed) < made->large ? 8 : 1;
		stream_text(s, KEY_SHAPES, state->size > 1 ? "float32[8x512]" : "float32[1x512]");
	}
	if (made->apart)
		made_inputs(s, made, state);
	stream_int(s, KEY_FIRST, number == 1);
	stream_inference(s, lane, state->us, made->model, 1, number);
	for (int i = 0; i < made->n_operators; i++) {
		uint64_t us = made_duration(made, state, i);

		snprintf(name, sizeof name, "/layer%d/MatMul%s", i, made->suffix);
		if (!made->is_without_operators) {
			stream_operator(s, thread, state->us, name, "MatMul", number);
			stream_end(s, thread, state->us + us);
		}
		state->us += us;
	}
	stream_text(s, KEY_STATUS, "ok");
	stream_end(s, lane, state->us + 10);
	state->us += 1000;
}

/* Reads the run as a comparison reads a recording. The arena owns all of it. */
static inline struct diff_run made_run(const struct made_run *made, struct arena *arena)
{
	const struct summary_opts opts = { .with_typical = true };
	struct made_state state = { .seed = made->seed, .machine = 1, .us = 10 };
	struct summary_file file = { 0 };
	struct diff_run run = { .path = "made.pftrace" };
	struct summary *summary;
	uint32_t process, lane, thread;
	struct stream s;

	stream_init(&s);
	process = stream_process(&s, 7, "app");
	made_note(&s, process, made);
	lane = stream_lane(&s, process, made->model);
	thread = stream_thread(&s, process, 8);
	state.run = exp(made->between * made_normal(&state.seed));
	for (int i = 0; i < made->n_operators; i++)
		state.own[i] = exp(made->between / 3 * made_normal(&state.seed));
	if (made->rss > 0) {
		uint32_t track = stream_counter(&s, process, "rss", "bytes");

		for (uint64_t at = 2; at < 6; at++)
			stream_sample(&s, track, at, at < 5 ? made->rss / 2 : made->rss);
	}
	for (int i = 1; i <= made->n_inferences; i++)
		made_inference(&s, made, &state, lane, thread, i);
	summary = stream_summary_of(&s, &opts, &file);
	if (diff_recording_of(&run, summary, arena, NULL))
		abort();
	summary_free(summary);
	stream_done(&s);
	return run;
}

#endif
