// SPDX-License-Identifier: Apache-2.0
/* Findings on how a recorded program uses the runtime: each in a recording that shows it, and not in one close by. */

#include "analyze/insight/recorded.h"
#include "cases.h"
#include "event/callstack.h"
#include "event/process_note.h"
#include "event/sample.h"
#include "findings.h"
#include "stream.h"

struct fixture {
	struct stream s;
	struct summary *summary;
	struct recorded recorded;
	uint32_t process, lane, thread;
	int64_t number;
	uint64_t us, waited_us;
};

static void begin(struct fixture *f)
{
	*f = (struct fixture){ .us = 1000 };
	stream_init(&f->s);
	f->process = stream_process(&f->s, 7, "app");
	f->lane = stream_lane(&f->s, f->process, "m");
	f->thread = stream_thread(&f->s, f->process, 8);
}

static void run(struct fixture *f, uint64_t pause_us, uint64_t took_us, int64_t faults, const char *shapes)
{
	f->us += pause_us;
	if (shapes)
		stream_text(&f->s, KEY_SHAPES, shapes);
	stream_inference(&f->s, f->lane, f->us, "m", 1, ++f->number);
	stream_int(&f->s, KEY_FAULTS, faults);
	stream_int(&f->s, KEY_THREAD_CPU_NS, (int64_t)(took_us - f->waited_us) * 1000);
	if (f->waited_us)
		stream_int(&f->s, KEY_RUN_QUEUE_NS, (int64_t)f->waited_us * 1000);
	stream_text(&f->s, KEY_STATUS, "ok");
	f->us += took_us;
	stream_end(&f->s, f->lane, f->us);
}

static void fault_takes(struct fixture *f, double ns)
{
	stream_real(&f->s, KEY_FAULT_NS, ns);
	stream_instant(&f->s, f->process, f->us, KIND_NOTE, EVENT_NOTE_COST);
}

/* NULL: not found. */
static const struct finding *find(struct fixture *f, const char *name)
{
	struct summary_file file = { 0 };

	f->summary = stream_summary(&f->s, &file);
	assert_non_null(f->summary);
	assert_int_equal(recorded_init(&f->recorded, f->summary, NULL), 0);
	assert_int_equal(f->recorded.n, 1);
	return findings_of(f->recorded.model, name, 0);
}

static void end(struct fixture *f)
{
	recorded_done(&f->recorded);
	summary_free(f->summary);
	stream_done(&f->s);
}

TEST(faults_of_each_inference_are_found_and_those_of_one_are_not)
{
	struct fixture fixture, *f = &fixture;
	const struct finding *found;

	begin(f);
	for (int i = 0; i < 20; i++)
		run(f, 10, 1000, 500, NULL);
	fault_takes(f, 1000);
	found = find(f, "fresh_memory");
	assert_true(found && found->a == 500 && found->low == 500e3 && found->value == 0.5);
	end(f);
	begin(f); /* a pool that grew once */
	for (int i = 0; i < 20; i++)
		run(f, 10, 1000, i == 5 ? 100000 : 2, NULL);
	fault_takes(f, 1000);
	assert_null(find(f, "fresh_memory"));
	end(f);
	begin(f); /* the time of a fault is not known */
	for (int i = 0; i < 20; i++)
		run(f, 10, 1000, 500, NULL);
	assert_null(find(f, "fresh_memory"));
	end(f);
}

TEST(a_pause_is_named_if_nearly_all_inferences_after_one_are_slower)
{
	struct fixture fixture, *f = &fixture;
	const struct finding *found;

	begin(f);
	for (int i = 0; i < 120; i++)
		run(f, i % 4 ? 10 : 20000, i % 4 ? 1000 : 2000, 0, "float[1]");
	found = find(f, "slow_after_pause");
	assert_true(found && found->value == 2 && found->low == 2e6 && found->high == 1e6);
	assert_true(found->a == 29 && found->b == 90); /* before the first nothing is known */
	assert_null(findings_of(f->recorded.model, "uneven", 0));
	end(f);
	begin(f); /* inputs of two sizes: the size may be the reason */
	for (int i = 0; i < 120; i++)
		run(f, i % 4 ? 10 : 20000, i % 4 ? 1000 : 2000, 0, i % 4 ? "float[1]" : "float[2]");
	assert_null(find(f, "slow_after_pause"));
	end(f);
	begin(f); /* a third of those after a pause is slow */
	for (int i = 0; i < 120; i++)
		run(f, i % 4 ? 10 : 20000, i % 12 ? 1000 : 2000, 0, "float[1]");
	assert_null(find(f, "slow_after_pause"));
	end(f);
}

static void create(struct fixture *f, const char *const *transformers)
{
	stream_int(&f->s, KEY_SESSION, 1);
	stream_begin(&f->s, f->lane, 10, KIND_SESSION, "m");
	for (; *transformers; transformers++) {
		stream_begin(&f->s, f->lane, 10, KIND_SPECIALIZE, *transformers);
		stream_end(&f->s, f->lane, 10);
	}
	stream_end(&f->s, f->lane, 20);
}

static void operators(struct fixture *f, const char *const *types)
{
	stream_inference(&f->s, f->lane, f->us, "m", 1, ++f->number);
	for (; *types; types++) {
		stream_operator(&f->s, f->thread, f->us, *types, *types, f->number);
		stream_end(&f->s, f->thread, ++f->us);
	}
	stream_text(&f->s, KEY_STATUS, "ok");
	stream_end(&f->s, f->lane, f->us);
}

TEST(optimization_is_off_if_only_needed_transformers_ran)
{
	static const char *const plain[] = { "Conv", "Relu", "Gemm", NULL };
	static const char *const fused[] = { "FusedConv", "Add", "Gemm", NULL };
	static const char *const needed[] = { "MemcpyTransformer", "InsertCastTransformer", NULL };
	static const char *const all[] = { "MemcpyTransformer", "ConstantFolding", NULL };
	static const char *const none[] = { NULL };
	const struct {
		const char *const *transformers, *const *types;
		bool is_found;
	} cases[] = {
		{ needed, plain, true }, { all, plain, false }, { none, plain, false }, { needed, fused, false }
	};
	struct fixture fixture, *f = &fixture;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		begin(f);
		create(f, cases[i].transformers);
		operators(f, cases[i].types);
		operators(f, cases[i].types);
		assert_int_equal(find(f, "not_optimized") != NULL, cases[i].is_found);
		end(f);
	}
}

/* It counts up to this value. */
static void count(struct fixture *f, const char *name, const char *unit, double value)
{
	uint32_t counter = stream_counter(&f->s, f->process, name, unit);

	stream_sample(&f->s, counter, 10, 0);
	stream_sample(&f->s, counter, f->us, value);
}

/* Threads take turns, each after own_us of its own: the inference of the first begins when that of the last is over. */
static void take_turns(struct fixture *f, int n_threads, uint64_t own_us, bool is_pooled)
{
	for (int i = 0; i < 60; i++) {
		f->us += own_us;
		stream_int(&f->s, KEY_TID, 100 + i % n_threads);
		if (is_pooled)
			stream_int(&f->s, KEY_POOLED, 1);
		stream_inference(&f->s, f->lane, f->us, "m", 1, ++f->number);
		stream_text(&f->s, KEY_STATUS, "ok");
		f->us += 1000;
		stream_end(&f->s, f->lane, f->us);
	}
}

static bool is_serialised(int n_threads, uint64_t own_us, bool is_pooled)
{
	struct fixture fixture, *f = &fixture;
	const struct finding *found;
	bool is_found;

	begin(f);
	take_turns(f, n_threads, own_us, is_pooled);
	found = find(f, "serialised");
	is_found = found != NULL;
	if (is_found)
		assert_int_equal(found->a, n_threads);
	end(f);
	return is_found;
}

TEST(callers_that_wait_for_each_other_are_found_if_nothing_else_fills_their_time)
{
	assert_true(is_serialised(4, 20, false));
	assert_true(is_serialised(4, 150, false));  /* handing the lock on takes time on a busy machine */
	assert_false(is_serialised(4, 400, false)); /* requests that come one after the other */
	assert_false(is_serialised(1, 20, false));
}

/* Of three threads all but one wait for a millisecond in a line of the program, below what `inner` calls. */
static void wait_for_lock(struct fixture *f, int running, const char *inner)
{
	struct names *names = f->s.names;
	struct callstacks *stacks = names_callstacks(names);
	struct frame own = { FRAME_PYTHON, .function = names_of(names, "work"), .file = names_of(names, "/app.py"),
			     .line = 12 };
	struct frame called = { FRAME_PYTHON, .function = names_of(names, "wait"), .file = names_of(names, inner) };
	uint32_t stack = callstacks_push(stacks, 0, callstacks_frame(stacks, &own));
	static struct event_sample samples[3]; /* the stream borrows them */

	stack = callstacks_push(stacks, stack, callstacks_frame(stacks, &called));
	for (int i = 0; i < 3; i++) {
		samples[i] =
		    (struct event_sample){ .weight_ns = 1000000, .state = SAMPLE_LOCK, .stack = stack, .tid = 100 + i };
		if (i != running)
			stream_put(&f->s, (struct event){ .type = EVENT_SAMPLE,
							  .track = f->process,
							  .time_ns = f->us * 1000,
							  .sample = &samples[i] });
	}
}

static const char *lock_of(const char *inner, struct fixture *f)
{
	const struct finding *found;

	begin(f);
	for (int i = 0; i < 60; i++) {
		f->us += 20;
		stream_int(&f->s, KEY_TID, 100 + i % 3);
		stream_inference(&f->s, f->lane, f->us, "m", 1, ++f->number);
		stream_text(&f->s, KEY_STATUS, "ok");
		f->us += 1000;
		wait_for_lock(f, i % 3, inner);
		stream_end(&f->s, f->lane, f->us);
	}
	found = find(f, "serialised");
	assert_non_null(found);
	return found->text;
}

TEST(the_line_that_waits_for_the_lock_around_a_session_is_named)
{
	struct fixture fixture, *f = &fixture;

	assert_string_equal(lock_of("/usr/lib/python3.11/threading.py", f), "work (app.py:12)");
	end(f);
	/* it waits inside of the runtime */
	assert_null(lock_of("/usr/lib/python3/dist-packages/onnxruntime/capi.py", f));
	end(f);
}

TEST(a_pool_that_runs_inferences_one_at_a_time_is_a_queue)
{
	assert_true(is_serialised(1, 20, true));
	assert_false(is_serialised(1, 4000, true));
}

/* Each waits in the queue of the pool for queue_us, and then takes 1 ms; two run at a time, one on each lane. */
static bool is_queue_found(uint64_t queue_us, uint64_t pause_us)
{
	struct fixture fixture, *f = &fixture;
	const struct finding *found;
	uint32_t lane[2];
	bool is_found;

	begin(f);
	lane[0] = f->lane;
	lane[1] = stream_lane(&f->s, f->process, "m");
	for (int i = 0; i < 40; i++) {
		for (int k = 0; k < 2; k++) {
			stream_int(&f->s, KEY_TID, 100 + k);
			stream_int(&f->s, KEY_POOLED, 1);
			stream_inference(&f->s, lane[k], f->us + (uint64_t)k, "m", 1, ++f->number);
		}
		f->us += 1000;
		for (int k = 0; k < 2; k++) {
			stream_text(&f->s, KEY_STATUS, "ok");
			stream_int(&f->s, KEY_POOL_QUEUE_NS, (int64_t)queue_us * 1000);
			stream_end(&f->s, lane[k], f->us + (uint64_t)k);
		}
		f->us += pause_us;
	}
	found = find(f, "pool_queue");
	is_found = found != NULL;
	if (is_found)
		assert_true(found->a == 2 && found->low == (double)queue_us * 1e3 && found->value > 0.5);
	assert_null(find(f, "serialised"));
	end(f);
	return is_found;
}

TEST(inferences_that_wait_longer_in_the_queue_than_they_take_are_found)
{
	assert_true(is_queue_found(3000, 10));
	assert_false(is_queue_found(3000, 4000)); /* none is before it: its thread woke up late */
	assert_false(is_queue_found(300, 10));
}

TEST(callers_that_run_beside_each_other_do_not_wait)
{
	struct fixture fixture, *f = &fixture;
	uint32_t other;

	begin(f);
	other = stream_lane(&f->s, f->process, "m");
	take_turns(f, 4, 20, false);
	stream_int(&f->s, KEY_TID, 200);
	stream_inference(&f->s, other, f->us - 500, "m", 1, ++f->number);
	stream_end(&f->s, other, f->us + 500);
	assert_null(find(f, "serialised"));
	end(f);
}

TEST(a_quota_is_named_if_it_is_used_up_in_a_tenth_of_its_periods)
{
	/*
	 * Of 20 ms with inferences, which waited: a quota that is used up for moments explains no waits for others, but
	 * few waits all the same
	 */
	static const struct {
		int n;
		double throttled_ns;
		uint64_t waited_us; /* each */
		bool is_found;
	} cases[] = { { 9, 2e9, 0, false },   { 10, 2e9, 0, true },	 { 90, 1.9e6, 0, false },
		      { 10, 2.1e6, 0, true }, { 10, 3.9e6, 800, false }, { 10, 4.1e6, 800, true },
		      { 10, 1e6, 190, true } };
	struct fixture fixture, *f = &fixture;
	const struct finding *found;

	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		begin(f);
		stream_instant(&f->s, f->process, 0, KIND_NOTE, EVENT_NOTE_RECORDING);
		for (int i = 0; i < 20; i++) {
			f->waited_us = cases[k].waited_us;
			run(f, 10, 1000, 0, NULL);
		}
		f->waited_us = 0;
		count(f, "cpu quota", "CPUs", 0.5);
		count(f, "cpu quota of /least", "CPUs", 0.5);
		count(f, "cpu quota of /", "CPUs", 0.75);
		count(f, "quota periods of /", "count", 100);
		count(f, "throttled periods of /", "count", cases[k].n);
		count(f, "throttled time of /", "ns", cases[k].throttled_ns);
		found = find(f, "throttled");
		assert_int_equal(found != NULL, cases[k].is_found);
		if (found)
			assert_true(found->value == 0.75 && found->a == 10 && found->b == 100 &&
				    found->low == cases[k].throttled_ns);
		end(f);
	}
}

TEST(cpus_that_the_host_takes_are_named_from_a_tenth_on)
{
	struct fixture fixture, *f = &fixture;
	const struct finding *found;

	for (int percent = 9; percent <= 10; percent++) {
		begin(f);
		for (int i = 0; i < 20; i++)
			run(f, 10, i % 2 ? 900 : 1100, 0, NULL);
		for (uint64_t us = 0; us <= f->us; us += 1000)
			stream_sample(&f->s, stream_counter(&f->s, 0, "stolen", "%"), us, percent);
		found = find(f, "stolen");
		assert_int_equal(found != NULL, percent == 10);
		if (found)
			assert_true(found->value == 0.1 && found->low == 0.1 * 1e6);
		end(f);
	}
}

/* It is about the machine: of several models, the one that took the most time has it. */
TEST(cpus_that_the_host_takes_are_named_once)
{
	struct fixture fixture, *f = &fixture;
	uint32_t other;

	begin(f);
	other = stream_lane(&f->s, f->process, "other");
	for (int i = 0; i < 20; i++) {
		run(f, 10, 1000, 0, NULL);
		stream_inference(&f->s, other, f->us, "other", 2, 100 + i);
		stream_end(&f->s, other, f->us += 500);
	}
	for (uint64_t us = 0; us <= f->us; us += 1000)
		stream_sample(&f->s, stream_counter(&f->s, 0, "stolen", "%"), us, 20);
	f->summary = stream_summary(&f->s, &(struct summary_file){ 0 });
	assert_int_equal(recorded_init(&f->recorded, f->summary, NULL), 0);
	assert_int_equal(f->recorded.n, 2);
	assert_non_null(findings_of(&f->recorded.model[0], "stolen", 0));
	assert_null(findings_of(&f->recorded.model[1], "stolen", 0));
	end(f);
}

TEST(a_profiler_that_was_left_on_is_found)
{
	struct fixture fixture, *f = &fixture;

	for (int is_on = 0; is_on <= 1; is_on++) {
		begin(f);
		stream_text(&f->s, KEY_RUNTIME, "onnxruntime");
		stream_text(&f->s, KEY_PATH, "/lib/onnxruntime.so");
		stream_int(&f->s, KEY_PID, 7);
		stream_instant(&f->s, f->process, 10, KIND_NOTE, EVENT_NOTE_RUNTIME);
		for (int i = 0; i < 3; i++)
			run(f, 10, 1000, 0, NULL);
		stream_int(&f->s, KEY_PID, 7);
		stream_text(&f->s, KEY_PATH, "/srv/onnxruntime_profile__2026-11-28_13-01-52_441.json");
		if (is_on)
			stream_instant(&f->s, f->process, f->us, KIND_NOTE, EVENT_NOTE_PROFILED);
		assert_int_equal(find(f, "profiled") != NULL, is_on);
		end(f);
	}
}
