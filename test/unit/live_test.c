// SPDX-License-Identifier: Apache-2.0
/* Live sums: exact sums, intervals and windows, and memory that stays the same for a week. */
#include "analyze/live/live.h"

#include <malloc.h>
#include <math.h>
#include <stdio.h>

#include "analyze/live/live_histogram.h"
#include "cases.h"
#include "stream.h"

#define SECOND UINT64_C(1000000000)

struct made {
	struct stream s;
	struct live *live;
	uint64_t now_ns;
};

static void make(struct made *m)
{
	stream_init(&m->s);
	m->now_ns = SECOND;
	m->live = live_new(m->s.names, &m->s.last_track, m->now_ns, NULL);
	assert_non_null(m->live);
	m->s.sink = live_sink(m->live);
}

static void done(struct made *m)
{
	live_free(m->live);
	stream_done(&m->s);
}

static void roll(struct made *m)
{
	sink_flush(m->s.sink, NULL);
	m->now_ns += SECOND;
	live_roll(m->live, m->now_ns);
}

/* An inference from the beginning to its end, in microseconds. */
static void run(struct made *m, uint32_t lane, uint64_t from_us, uint64_t us, int64_t number, const char *status)
{
	stream_inference(&m->s, lane, from_us, "net", 1, number);
	stream_text(&m->s, KEY_STATUS, status);
	stream_end(&m->s, lane, from_us + us);
}

#define CASE(name) TEST_OF(name, struct made, m, make(m), done(m))

CASE(sums_are_exact)
{
	const struct live_model *model;
	uint32_t process, lane;

	process = stream_process(&m->s, 42, "python");
	lane = stream_lane(&m->s, process, "net");
	for (int64_t i = 0; i < 1000; i++)
		run(m, lane, (uint64_t)i * 1000, 100 + (uint64_t)i % 2 * 100, i + 1, i == 7 ? "bad shape" : "ok");
	assert_int_equal(live_n_models(m->live), 1);
	assert_int_equal(live_model(m->live, 0)->sum.n, 0); /* as of the last roll */
	roll(m);
	model = live_model(m->live, 0);
	assert_int_equal(model->sum.n, 1000);
	assert_int_equal(model->sum.n_failed, 1);
	assert_int_equal(model->sum.wall_ns, 150000000);
	assert_int_equal(model->max_ns, 200000);
	assert_int_equal(model->pid, 42);
	assert_string_equal(model->process_name, "python");
	assert_string_equal(model->name, "net");
	assert_int_equal(model->phase, LIVE_RUNNING);
	assert_int_equal(model->n_sessions, 1);
	assert_int_equal(model->session[0].number, 1);
	assert_int_equal(model->session[0].n, 1000);
	assert_true(live_model_rate(m->live, model) == 1000);
	assert_true(live_model_busy(m->live, model) == 0.15);
	assert_int_equal(model->last.n_failed, 1);
	roll(m);
	assert_int_equal(live_model(m->live, 0)->phase, LIVE_IDLE);
	assert_true(live_model_rate(m->live, model) == 0);
	assert_int_equal(live_totals(m->live)->all.n, 1000);
	assert_int_equal(live_totals(m->live)->all.n_failed, 1);
}

/* Names of slices are others than what their arguments say. */
CASE(rows_have_what_events_say_under_their_keys)
{
	const struct live_model *model;
	uint32_t process, lane, thread;

	process = stream_process(&m->s, 42, "python");
	lane = stream_lane(&m->s, process, "a group");
	thread = stream_thread(&m->s, process, 77);
	stream_text(&m->s, KEY_MODEL, "net");
	stream_begin(&m->s, lane, 0, KIND_SESSION, "create");
	stream_text(&m->s, KEY_MODEL, "net");
	stream_text(&m->s, KEY_RUNTIME, "onnxruntime");
	stream_text(&m->s, KEY_PROVIDERS, "CUDAExecutionProvider{device_id=0},CPUExecutionProvider");
	stream_text(&m->s, KEY_STATUS, "no such file");
	stream_end(&m->s, lane, 10);
	roll(m);
	assert_int_equal(live_n_models(m->live), 1);
	model = live_model(m->live, 0);
	assert_string_equal(model->name, "net");
	assert_string_equal(model->runtime, "onnxruntime");
	assert_string_equal(model->provider, "CUDAExecutionProvider");
	assert_int_equal(model->n_creations_failed, 1);
	stream_text(&m->s, KEY_MODEL, "net");
	stream_int(&m->s, KEY_SESSION, 3);
	stream_int(&m->s, KEY_INFERENCE, 9);
	stream_begin(&m->s, lane, 100, KIND_INFERENCE, "net:main");
	stream_text(&m->s, KEY_OP_TYPE, "Conv");
	stream_text(&m->s, KEY_PROVIDER, "CPUExecutionProvider");
	stream_begin(&m->s, thread, 110, KIND_OPERATOR, "/conv_1");
	stream_int(&m->s, KEY_INFERENCE, 9); /* known at its end alone */
	stream_end(&m->s, thread, 150);
	stream_end(&m->s, lane, 200);
	roll(m);
	assert_int_equal(live_n_models(m->live), 1);
	model = live_model(m->live, 0);
	assert_string_equal(model->provider, "CPUExecutionProvider");
	assert_int_equal(model->n_types, 1);
	assert_string_equal(names_text(m->s.names, model->type[0].type), "Conv");
	assert_string_equal(names_text(m->s.names, model->type[0].provider), "CPUExecutionProvider");
}

CASE(percentiles_are_of_the_window)
{
	const struct live_model *model;
	uint64_t us = 0;
	uint32_t lane;

	lane = stream_lane(&m->s, stream_process(&m->s, 1, "a"), "net");
	for (int interval = 0; interval < LIVE_WINDOW; interval++, us += 1000000) {
		for (uint64_t i = 0; i < 100; i++)
			run(m, lane, us + i * 10000, interval ? 1000 : 9000, 1, "ok");
		roll(m);
		model = live_model(m->live, 0);
		assert_in_range((uint64_t)model->last.p99_ns, interval ? 984000 : 8856000,
				interval ? 1016000 : 9144000);
	}
	assert_int_equal(model->window_n, 100 * LIVE_WINDOW);
	assert_in_range(model->median_ns, 984000, 1016000);
	assert_in_range(model->p99_ns, 8856000, 9144000); /* a tenth took so long */
	roll(m);					  /* the slow interval is forgotten */
	assert_int_equal(model->window_n, 100 * (LIVE_WINDOW - 1));
	assert_in_range(model->p99_ns, 984000, 1016000);
	for (int i = 0; i < 2 * LIVE_WINDOW; i++)
		roll(m);
	assert_int_equal(model->window_n, 0);
	assert_int_equal(model->median_ns, 0);
	assert_int_equal(model->sum.n, 100 * LIVE_WINDOW);
}

/* A step of sequence 0, behind so many tokens. */
static void step(struct made *m, uint32_t lane, uint64_t from_us, uint64_t us, int64_t number, const char *sequences)
{
	stream_inference(&m->s, lane, from_us, "net", 1, number);
	stream_text(&m->s, KEY_STATUS, "ok");
	stream_text(&m->s, KEY_SEQUENCES, sequences);
	stream_end(&m->s, lane, from_us + us);
}

CASE(tokens_of_generations_are_counted)
{
	const struct live_model *model;
	uint32_t lane;

	lane = stream_lane(&m->s, stream_process(&m->s, 1, "a"), "net");
	run(m, lane, 0, 100, 1, "ok");
	roll(m);
	assert_true(isnan(live_model_tokens(m->live, live_model(m->live, 0))));
	step(m, lane, 1000, 500, 2, "0:0+8/1");
	step(m, lane, 2000, 100, 3, "0:8+1/1");
	step(m, lane, 3000, 100, 4, "0:9+1/1");
	roll(m);
	model = live_model(m->live, 0);
	assert_int_equal(model->n_tokens, 3);
	assert_int_equal(model->n_generations, 1);
	assert_true(live_model_tokens(m->live, model) == 3);
	assert_in_range(model->first_token_ns, 492000, 508000);
	step(m, lane, 4000, 100, 5, "0:10+1/1");
	roll(m);
	model = live_model(m->live, 0);
	assert_int_equal(model->n_tokens, 4);
	assert_true(live_model_tokens(m->live, model) == 1);
	assert_int_equal(live_joined(m->live, 0)->n_tokens, 4);
	for (int i = 0; i < LIVE_WINDOW; i++)
		roll(m);
	assert_int_equal(model->first_token_ns, 0);
	assert_true(live_model_tokens(m->live, model) == 0);
}

/* Of several processes, also while one of them goes and others get new operators. */
CASE(models_of_one_program_are_joined)
{
	uint32_t lane[3], thread[3];
	const struct live_model *joined;
	const uint64_t *member;

	for (int p = 0; p < 3; p++) {
		uint32_t process = stream_process(&m->s, 40 + p, p < 2 ? "python" : "node");

		lane[p] = stream_lane(&m->s, process, "net");
		thread[p] = stream_thread(&m->s, process, 50 + p);
		for (uint64_t i = 0; i < 100; i++) {
			stream_operator(&m->s, thread[p], i * 10000, p ? "b" : "a", "Conv", (int64_t)i + 1);
			stream_end(&m->s, thread[p], i * 10000 + 500);
			run(m, lane[p], i * 10000, p ? 9000 : 1000, (int64_t)i + 1, "ok");
		}
	}
	roll(m);
	assert_int_equal(live_n_models(m->live), 3);
	assert_int_equal(live_n_joined(m->live), 2);
	joined = live_joined(m->live, 0);
	assert_int_equal(live_joined_members(m->live, 0, &member), 2);
	assert_int_equal(member[1], live_model(m->live, 1)->id);
	assert_int_equal(joined->n_processes, 2);
	assert_int_equal(joined->sum.n, 200);
	assert_int_equal(joined->window_n, 200);
	assert_int_equal(joined->last.wall_ns, 1000000000);
	assert_in_range(joined->median_ns, 984000, 1016000); /* as in a report: half of them are not longer */
	assert_int_equal(joined->max_ns, 9000000);
	assert_int_equal(joined->n_nodes, 2);
	assert_int_equal(joined->n_types, 1);
	assert_int_equal(joined->type[0].n, 200);
	assert_int_equal(live_joined(m->live, 1)->n_processes, 1);
	assert_int_equal(live_joined(m->live, 1)->sum.n, 100);
	for (uint64_t i = 0; i < 2000; i++) {
		char name[16];

		snprintf(name, sizeof name, "new%d", (int)i);
		stream_operator(&m->s, thread[1], 2000000 + i, name, "Conv", 100);
		stream_end(&m->s, thread[1], 2000001 + i);
	}
	assert_int_equal(live_joined(m->live, 0)->node[1].n, 100);
	assert_int_equal(live_model(m->live, 1)->node[0].n, 100);
	roll(m);
	assert_int_equal(live_joined(m->live, 0)->n_nodes, 2002);
}

/* Every quantile is within 1.6 % of the exact one, for values from nanoseconds to half an hour. */
TEST(histogram_is_within_its_error)
{
	struct live_histogram *histogram = calloc(1, sizeof *histogram);

	for (double ns = 1; ns < 2e12; ns *= 1.37) {
		double got;

		memset(histogram, 0, sizeof *histogram);
		live_histogram_add(histogram, (uint64_t)ns);
		got = (double)live_histogram_quantile(histogram, 0.5, false);
		assert_true(fabs(got - floor(ns)) <= 0.016 * ns);
	}
	memset(histogram, 0, sizeof *histogram);
	live_histogram_add(histogram, UINT64_MAX);
	assert_true(live_histogram_quantile(histogram, 1, true) > 3600 * SECOND);
	free(histogram);
}

static const struct live_operator *node_named(const struct made *m, const char *name)
{
	const struct live_model *model = live_model(m->live, 0);

	for (uint32_t i = 0; i < model->n_nodes; i++)
		if (!strcmp(names_text(m->s.names, model->node[i].name), name))
			return &model->node[i];
	return NULL;
}

CASE(operators_find_their_model)
{
	const struct live_model *model;
	uint32_t process, lane, thread;

	process = stream_process(&m->s, 42, "python");
	lane = stream_lane(&m->s, process, "net");
	thread = stream_thread(&m->s, process, 43);
	/* they come before the inference does, and one lies in another */
	stream_operator(&m->s, thread, 10, "if", "If", 1);
	stream_operator(&m->s, thread, 20, "conv", "Conv", 1);
	stream_end(&m->s, thread, 50);
	stream_end(&m->s, thread, 60);
	run(m, lane, 5, 100, 1, "ok");
	run(m, lane, 200, 100, 2, "ok");
	stream_operator(&m->s, thread, 210, "conv", "Conv", 2);
	stream_end(&m->s, thread, 230);
	stream_operator(&m->s, thread, 240, "other", "Conv", 99); /* of an inference that never comes */
	stream_end(&m->s, thread, 247);
	stream_operator(&m->s, thread, 250, "folded", "Add", 0); /* in no inference */
	stream_end(&m->s, thread, 252);
	roll(m);
	model = live_model(m->live, 0);
	assert_int_equal(model->n_nodes, 2);
	assert_int_equal(node_named(m, "conv")->n, 2);
	assert_int_equal(node_named(m, "conv")->self_ns, 50000);
	assert_int_equal(node_named(m, "conv")->window_ns, 50000);
	assert_int_equal(node_named(m, "if")->self_ns, 20000);
	assert_int_equal(model->n_types, 2);
	assert_int_equal(model->type[0].n + model->type[1].n, 3);
	assert_int_equal(model->type[0].self_ns + model->type[1].self_ns, 70000);
	assert_string_equal(model->provider, "CPUExecutionProvider");
	for (int i = 0; i < LIVE_WINDOW; i++)
		roll(m);
	assert_int_equal(live_totals(m->live)->n_unplaced, 1);
	assert_int_equal(live_totals(m->live)->n_outside, 1);
	assert_int_equal(node_named(m, "conv")->window_n, 0);
	assert_int_equal(node_named(m, "conv")->n, 2);
}

CASE(operators_that_ran_when_their_process_was_stopped_are_left_out)
{
	uint32_t process, lane, thread, halted;

	process = stream_process(&m->s, 42, "python");
	lane = stream_lane(&m->s, process, "net");
	thread = stream_thread(&m->s, process, 50);
	halted = stream_lane(&m->s, process, EVENT_HALT_STOPPED);
	for (uint64_t i = 0; i < 100; i++) {
		stream_operator(&m->s, thread, i * 10000, "a", "Conv", (int64_t)i + 1);
		if (i == 50)
			stream_begin(&m->s, halted, i * 10000 + 100, KIND_HALT, EVENT_HALT_STOPPED);
		stream_end(&m->s, thread, i * 10000 + (i == 50 ? 9000 : 500));
		if (i == 50)
			stream_end(&m->s, halted, i * 10000 + 8900);
		run(m, lane, i * 10000, 9500, (int64_t)i + 1, "ok");
	}
	roll(m);
	assert_int_equal(live_model(m->live, 0)->sum.n, 100);
	assert_int_equal(live_model(m->live, 0)->type[0].n, 99);
	assert_int_equal(live_model(m->live, 0)->type[0].self_ns, 99 * 500000);
}

CASE(whole_slices_count_as_their_parts)
{
	uint32_t process, lane, thread;
	struct event slice = { .type = EVENT_BEGIN, .kind = KIND_OPERATOR, .time_ns = 20000 };
	struct arg args[2];

	process = stream_process(&m->s, 42, "python");
	lane = stream_lane(&m->s, process, "net");
	thread = stream_thread(&m->s, process, 43);
	run(m, lane, 5, 100, 1, "ok");
	stream_operator(&m->s, thread, 10, "if", "If", 1);
	args[0] = arg_int(KEY_INFERENCE, 1);
	args[1] = arg_text(KEY_OP_TYPE, m->s.sink, "Conv");
	slice.track = thread;
	slice.name = stream_name(&m->s, "conv");
	slice.args = args;
	slice.n_args = 2;
	assert_int_equal(sink_put_slice(m->s.sink, &slice, 30000, NULL), 0);
	stream_end(&m->s, thread, 60);
	roll(m);
	assert_int_equal(node_named(m, "conv")->self_ns, 10000);
	assert_int_equal(node_named(m, "if")->self_ns, 40000);
}

CASE(creation_has_phases_and_a_name_at_the_end)
{
	uint32_t process, line;

	process = stream_process(&m->s, 42, "python");
	line = stream_lane(&m->s, process, "unknown model");
	stream_int(&m->s, KEY_SESSION, 1);
	stream_begin(&m->s, line, 0, KIND_SESSION, "unknown model");
	roll(m);
	assert_int_equal(live_model(m->live, 0)->phase, LIVE_CREATING);
	stream_begin(&m->s, line, 10, KIND_LOAD, "load");
	roll(m);
	assert_int_equal(live_model(m->live, 0)->phase, LIVE_LOADING);
	stream_end(&m->s, line, 20);
	stream_begin(&m->s, line, 30, KIND_SPECIALIZE, "fuse");
	roll(m);
	assert_int_equal(live_model(m->live, 0)->phase, LIVE_SPECIALIZING);
	stream_end(&m->s, line, 40);
	stream_text(&m->s, KEY_MODEL, "net");
	stream_text(&m->s, KEY_PROVIDERS, "CUDAExecutionProvider{device_id=0},CPUExecutionProvider");
	stream_text(&m->s, KEY_STATUS, "ok");
	stream_end(&m->s, line, 1000);
	stream_text(&m->s, KEY_MODEL, "net");
	stream_int(&m->s, KEY_SESSION, 1);
	stream_instant(&m->s, process, 1001, KIND_NOTE, EVENT_NOTE_CREATED);
	roll(m);
	assert_int_equal(live_n_models(m->live), 1);
	assert_string_equal(live_model(m->live, 0)->name, "net");
	assert_string_equal(live_model(m->live, 0)->provider, "CUDAExecutionProvider");
	assert_int_equal(live_model(m->live, 0)->phase, LIVE_IDLE);
	assert_int_equal(live_model(m->live, 0)->n_created, 1);
	assert_int_equal(live_model(m->live, 0)->creating_ns, 1000000);
	assert_int_equal(live_model(m->live, 0)->n_sessions, 1);
	stream_int(&m->s, KEY_SESSION, 1);
	stream_instant(&m->s, process, 2000, KIND_NOTE, EVENT_NOTE_RELEASED);
	roll(m);
	assert_int_equal(live_model(m->live, 0)->n_sessions, 0);
}

/* A session of a runtime, and an inference of it. */
static void run_by(struct made *m, uint32_t process, int64_t session, const char *runtime, const char *version)
{
	uint32_t lane = stream_lane(&m->s, process, "models");

	stream_text(&m->s, KEY_RUNTIME, runtime);
	stream_text(&m->s, KEY_VERSION, version);
	stream_instant(&m->s, process, 0, KIND_NOTE, EVENT_NOTE_RUNTIME);
	stream_text(&m->s, KEY_MODEL, "net");
	stream_int(&m->s, KEY_SESSION, session);
	stream_text(&m->s, KEY_RUNTIME, runtime);
	stream_instant(&m->s, process, 0, KIND_NOTE, session == 1 ? EVENT_NOTE_CREATED : EVENT_NOTE_SESSION);
	for (int64_t i = 0; i < session; i++) {
		stream_text(&m->s, KEY_MODEL, "net");
		stream_int(&m->s, KEY_SESSION, session);
		stream_begin(&m->s, lane, 100 + (uint64_t)i * 10, KIND_INFERENCE, "net");
		stream_end(&m->s, lane, 105 + (uint64_t)i * 10);
	}
}

CASE(model_of_two_runtimes_has_a_row_for_each)
{
	static const char *const versions[] = { "2.3.0", "2026.4.1" };
	const struct live_model *model;
	uint32_t process;

	process = stream_process(&m->s, 42, "python");
	run_by(m, process, 1, "litert", "2.3.0");
	run_by(m, process, 2, "openvino", "");
	run_by(m, process, 2, "openvino", "2026.4.1");
	roll(m);
	assert_int_equal(live_n_models(m->live), 2);
	assert_int_equal(live_n_joined(m->live), 2);
	for (uint32_t i = 0; i < 2; i++) {
		model = live_joined(m->live, i);
		assert_string_equal(model->runtime, i ? "openvino" : "litert");
		assert_string_equal(model->runtime_version, versions[i]);
		assert_int_equal(model->sum.n, i ? 4 : 1);
		assert_int_equal(model->n_sessions, 1);
	}
	assert_string_equal(live_process(m->live, 0)->runtime, "litert 2.3.0, openvino 2026.4.1");
}

/* Short programs: notes of all sessions come before the first inference does. */
CASE(inferences_find_their_model_after_notes_of_all_sessions)
{
	static const char *const runtimes[] = { "litert", "onnxruntime", "openvino" };
	uint32_t process, lane;

	process = stream_process(&m->s, 42, "python");
	lane = stream_lane(&m->s, process, "models");
	for (int64_t i = 0; i < 3; i++) {
		stream_text(&m->s, KEY_MODEL, "net");
		stream_int(&m->s, KEY_SESSION, i);
		stream_text(&m->s, KEY_RUNTIME, runtimes[i]);
		stream_instant(&m->s, process, 50, KIND_NOTE, EVENT_NOTE_CREATED);
	}
	for (int64_t i = 0; i < 3; i++) {
		stream_int(&m->s, KEY_SESSION, i);
		stream_instant(&m->s, process, 50, KIND_NOTE, EVENT_NOTE_RELEASED);
	}
	for (uint64_t i = 0; i < 12; i++) {
		stream_inference(&m->s, lane, 10 + 3 * i, "net", (int64_t)(i % 4 < 2 ? i % 4 : 2), (int64_t)i + 1);
		stream_end(&m->s, lane, 12 + 3 * i);
	}
	roll(m);
	assert_int_equal(live_n_models(m->live), 3);
	for (uint32_t i = 0; i < 3; i++) {
		assert_string_equal(live_model(m->live, i)->runtime, runtimes[i]);
		assert_int_equal(live_model(m->live, i)->sum.n, i == 2 ? 6 : 3);
		assert_int_equal(live_model(m->live, i)->n_sessions, 0);
	}
}

CASE(counters_keep_ten_minutes_and_stop)
{
	const struct live_counter *machine, *process_cpu;
	uint32_t process, all, own;

	process = stream_process(&m->s, 42, "python");
	all = stream_counter(&m->s, 0, "cpu", "%");
	own = stream_counter(&m->s, process, "cpu", "%");
	for (int i = 0; i < 700; i++) {
		stream_sample(&m->s, all, m->now_ns / 1000, i);
		if (i < 100)
			stream_sample(&m->s, own, m->now_ns / 1000, 50);
		roll(m);
	}
	machine = live_counter_named(m->live, 0, "cpu");
	process_cpu = live_counter_named(m->live, live_process(m->live, 0)->id, "cpu");
	assert_true(machine->value == 699);
	assert_true(live_counter_point(m->live, machine, 0) == 699);
	assert_true(live_counter_point(m->live, machine, LIVE_POINTS - 1) == 100);
	assert_true(isnan(live_counter_point(m->live, machine, LIVE_POINTS)));
	assert_true(isnan(process_cpu->value)); /* missing is not 0 */
	assert_true(process_cpu->last == 50);
	assert_true(isnan(live_counter_point(m->live, process_cpu, 0)));
}

static void end_track(struct made *m, uint32_t track)
{
	const struct event event = { .type = EVENT_TRACK_END, .track = track };

	assert_int_equal(sink_put(m->s.sink, &event, NULL), 0);
}

CASE(program_that_ended_is_listed_for_a_while)
{
	uint32_t process, lane, counter;

	process = stream_process(&m->s, 42, "python");
	lane = stream_lane(&m->s, process, "net");
	counter = stream_counter(&m->s, process, "cpu", "%");
	run(m, lane, 0, 100, 1, "ok");
	stream_inference(&m->s, lane, 200, "net", 1, 2); /* killed in it */
	roll(m);
	assert_int_equal(live_model(m->live, 0)->n_open, 1);
	end_track(m, counter);
	end_track(m, lane);
	end_track(m, process);
	roll(m);
	assert_int_equal(live_model(m->live, 0)->phase, LIVE_OVER);
	assert_int_equal(live_model(m->live, 0)->n_open, 0);
	assert_true(live_process(m->live, 0)->is_over);
	assert_int_equal(live_n_counters(m->live), 0);
	for (int i = 0; i < LIVE_ENDED + 3; i++)
		roll(m);
	assert_int_equal(live_n_models(m->live), 0);
	assert_int_equal(live_n_processes(m->live), 0);
	assert_int_equal(live_totals(m->live)->gone.n, 1);
	assert_int_equal(live_totals(m->live)->all.n, 1);
}

CASE(what_finds_no_room_is_counted)
{
	uint32_t process, lane;
	uint64_t n = 0;
	char name[32];

	process = stream_process(&m->s, 42, "python");
	lane = stream_lane(&m->s, process, "net");
	for (int i = 0; i < LIVE_MODELS + 10; i++) {
		snprintf(name, sizeof name, "model %d", i);
		stream_inference(&m->s, lane, (uint64_t)i * 10, name, i + 1, i + 1);
		stream_end(&m->s, lane, (uint64_t)i * 10 + 5);
	}
	roll(m);
	assert_int_equal(live_n_models(m->live), LIVE_MODELS);
	for (uint32_t i = 0; i < live_n_models(m->live); i++)
		n += live_model(m->live, i)->sum.n;
	assert_int_equal(n, LIVE_MODELS);
	assert_int_equal(live_totals(m->live)->others.n, 10);
	assert_int_equal(live_totals(m->live)->others.wall_ns, 50000);
	assert_int_equal(live_totals(m->live)->all.n, LIVE_MODELS + 10);
}

CASE(operators_beyond_the_limit_are_others)
{
	uint32_t process, lane, thread;
	char name[32];

	process = stream_process(&m->s, 42, "python");
	lane = stream_lane(&m->s, process, "net");
	thread = stream_thread(&m->s, process, 43);
	run(m, lane, 0, 1, 1, "ok");
	for (uint64_t i = 0; i < LIVE_OPERATORS + 5; i++) {
		snprintf(name, sizeof name, "n%d", (int)i);
		stream_operator(&m->s, thread, i, name, "Conv", 1);
		stream_end(&m->s, thread, i + 1);
	}
	roll(m);
	assert_int_equal(live_model(m->live, 0)->n_nodes, LIVE_OPERATORS);
	assert_int_equal(live_model(m->live, 0)->other_nodes.n, 5);
	assert_int_equal(live_model(m->live, 0)->other_nodes.self_ns, 5000);
	assert_int_equal(live_model(m->live, 0)->type[0].n, LIVE_OPERATORS + 5);
}

CASE(losses_and_blind_spots_are_notes)
{
	uint32_t process;

	process = stream_process(&m->s, 42, "python");
	for (int i = 0; i < 3; i++) {
		stream_int(&m->s, KEY_COUNT, 100);
		stream_text(&m->s, KEY_WHERE, "ring of thread 7");
		stream_instant(&m->s, process, 1, KIND_LOST, "lost");
	}
	stream_int(&m->s, KEY_COUNT, 1);
	stream_text(&m->s, KEY_STATE, "no runtime was found");
	stream_instant(&m->s, process, 2, KIND_NOTE, EVENT_NOTE_PROCESS);
	stream_int(&m->s, KEY_COUNT, 15);
	stream_instant(&m->s, process, 3, KIND_NOTE, EVENT_NOTE_SAMPLED_OUT);
	live_tell(m->live, LIVE_NOTE_INFO, "recording python (42)");
	roll(m);
	assert_int_equal(live_n_notes(m->live), 3);
	assert_string_equal(live_note(m->live, 0)->text, "recording python (42)");
	assert_string_equal(live_note(m->live, 1)->text, "python (42): inferences are not seen: no runtime was found");
	assert_string_equal(live_note(m->live, 2)->text, "ring of thread 7");
	assert_int_equal(live_note(m->live, 2)->n, 300);
	assert_int_equal(live_totals(m->live)->n_lost, 300);
	assert_int_equal(live_totals(m->live)->n_sampled_out, 15);
	for (int i = 0; i < 2 * LIVE_NOTES; i++) {
		char text[32];
		snprintf(text, sizeof text, "note %d", i);
		live_tell(m->live, LIVE_NOTE_INFO, text);
	}
	assert_int_equal(live_n_notes(m->live), LIVE_NOTES);
	assert_string_equal(live_note(m->live, 0)->text, "note 63");
}

/* Events of one interval of a busy server, without the log of struct stream. */
static void work(struct made *m, uint32_t lane, uint32_t thread, uint32_t counter, uint64_t number)
{
	struct arg run_args[] = { arg_text(KEY_MODEL, m->s.sink, "net"), arg_int(KEY_SESSION, 1),
				  arg_int(KEY_INFERENCE, (int64_t)number) };
	struct arg op_args[] = { arg_int(KEY_INFERENCE, (int64_t)number), arg_text(KEY_OP_TYPE, m->s.sink, "Conv") };
	struct event events[] = {
		{ EVENT_BEGIN, KIND_OPERATOR, thread, run_args[0].name, m->now_ns, 0, op_args, 2, NULL },
		{ EVENT_END, KIND_NONE, thread, 0, m->now_ns + 500, 0, NULL, 0, NULL },
		{ EVENT_BEGIN, KIND_INFERENCE, lane, run_args[0].name, m->now_ns, 0, run_args, 3, NULL },
		{ EVENT_END, KIND_NONE, lane, 0, m->now_ns + 1000 + number % 1000, 0, NULL, 0, NULL },
		{ EVENT_COUNTER, KIND_NONE, counter, 0, m->now_ns, (double)number, NULL, 0, NULL },
	};

	for (size_t i = 0; i < sizeof events / sizeof *events; i++)
		assert_int_equal(sink_put(m->s.sink, &events[i], NULL), 0);
}

/* A process that comes, runs a model once and goes; its track's numbers are used again. */
static void visitor(struct made *m, uint32_t process, uint32_t lane, uint64_t number)
{
	struct track_def def = { .type = TRACK_PROCESS, .pid = (int32_t)number + 1000 };
	struct track_def line = { .type = TRACK_LANE, .parent = process };
	struct event event = { .type = EVENT_TRACK, .track = process, .def = &def };
	struct event of_line = { .type = EVENT_TRACK, .track = lane, .def = &line };
	struct arg args[] = { arg_text(KEY_MODEL, m->s.sink, "visitor"), arg_int(KEY_INFERENCE, 1) };
	struct event events[] = {
		event,
		of_line,
		{ EVENT_BEGIN, KIND_INFERENCE, lane, args[0].name, m->now_ns, 0, args, 2, NULL },
		{ EVENT_END, KIND_NONE, lane, 0, m->now_ns + 1000, 0, NULL, 0, NULL },
		{ .type = EVENT_TRACK_END, .track = lane },
		{ .type = EVENT_TRACK_END, .track = process },
	};

	for (size_t i = 0; i < sizeof events / sizeof *events; i++)
		assert_int_equal(sink_put(m->s.sink, &events[i], NULL), 0);
}

/* 604,800 intervals of a second: the heap after an hour is the heap after a week. */
CASE(week_takes_no_more_memory_than_an_hour)
{
	enum { EARLY = 3600, WEEK = 7 * 86400 };
	uint32_t process, lane, thread, counter;
	size_t early = 0, late;

	process = stream_process(&m->s, 42, "server");
	lane = stream_lane(&m->s, process, "net");
	thread = stream_thread(&m->s, process, 43);
	counter = stream_counter(&m->s, process, "cpu", "%");
	for (uint64_t i = 1; i <= WEEK; i++) {
		work(m, lane, thread, counter, i);
		if (i % 10 == 0)
			visitor(m, counter + 1, counter + 2, i);
		roll(m);
		if (i == EARLY)
			early = mallinfo2().uordblks;
	}
	late = mallinfo2().uordblks;
	assert_int_equal(live_totals(m->live)->all.n, WEEK + WEEK / 10);
	assert_int_equal(live_model(m->live, 0)->sum.n, WEEK);
	assert_int_equal(live_model(m->live, 0)->node[0].n, WEEK);
	assert_int_equal(live_totals(m->live)->n_unplaced, 0);
	assert_true(late <= early + 65536);
}
