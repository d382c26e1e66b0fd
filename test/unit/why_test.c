// SPDX-License-Identifier: Apache-2.0
/*
 * Causes of a slow inference: each is named where its figure is there, and not where it is not. 40 inferences of 10 ms,
 * one after the other; one of them is made slow, in different ways.
 */
#include "analyze/why/why.h"

#include <stdio.h>
#include <string.h>

#include "cases.h"
#include "stream.h"

enum { N = 40, SLOW = 24, EACH_US = 50000, US = 1000 };

/* What the slow inference had more than the others; microseconds. */
struct more {
	int cpu, wait, blocked;
	int faults, major;
	int64_t bytes;
	int in_operator; /* of `cpu` */
	bool is_of_slow, is_never_switched, has_no_usage, has_no_operators, has_new_shape, is_beside, is_in_creation;
	const char *shapes; /* NULL: by has_new_shape */
	int compiles;	    /* of them all, so long; 0: never */
};

struct fixture {
	struct stream s;
	uint32_t process, lane, other, thread, counter;
	struct summary *summary;
	struct why why;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);

	stream_init(&f->s);
	f->process = stream_process(&f->s, 100, "app");
	f->lane = stream_lane(&f->s, f->process, "m");
	f->other = stream_lane(&f->s, f->process, "other");
	f->thread = stream_thread(&f->s, f->process, 101);
	stream_text(&f->s, KEY_LEVEL, "operator");
	stream_int(&f->s, KEY_INTERVAL_NS, 100000000);
	stream_instant(&f->s, f->process, 0, KIND_NOTE, EVENT_NOTE_RECORDING);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	summary_free(f->summary);
	stream_done(&f->s);
	free(f);
	return 0;
}

static uint64_t begin_of(int i)
{
	return 500 + (uint64_t)i * EACH_US;
}

static void put_operators(struct fixture *f, int i, int more)
{
	uint64_t at = begin_of(i) + 100;

	stream_operator(&f->s, f->thread, at, "a", "Conv", i + 1);
	stream_end(&f->s, f->thread, at + 4000);
	stream_operator(&f->s, f->thread, at + 4000, "b", "Loop", i + 1);
	stream_end(&f->s, f->thread, at + 9000 + (uint64_t)more);
}

static void put_run(struct fixture *f, int i, const struct more *more)
{
	uint64_t us = 10000 + (uint64_t)(more->cpu + more->wait + more->blocked);

	stream_int(&f->s, KEY_ID, i + 1);
	stream_inference(&f->s, f->lane, begin_of(i), "m", 1, i + 1);
	if (more->compiles) {
		stream_begin(&f->s, f->lane, begin_of(i) + 50, KIND_SPECIALIZE, "torch.compile f (m.py)");
		stream_end(&f->s, f->lane, begin_of(i) + 50 + (uint64_t)more->compiles);
	}
	stream_text(&f->s, KEY_STATUS, "ok");
	stream_text(&f->s, KEY_SHAPES, more->shapes ? more->shapes : more->has_new_shape ? "8x3" : "1x3");
	if (more->is_of_slow)
		stream_int(&f->s, KEY_USAGE_OF_SLOW, 1);
	if (!more->has_no_usage) {
		stream_int(&f->s, KEY_THREAD_CPU_NS, (9000 + more->cpu) * US);
		stream_int(&f->s, KEY_RUN_QUEUE_NS, more->is_never_switched ? 0 : (200 + more->wait) * US);
		stream_int(&f->s, KEY_FAULTS, 10 + more->faults + more->major);
		stream_int(&f->s, KEY_SWITCHES, !more->is_never_switched);
	}
	if (more->major || more->bytes) {
		stream_int(&f->s, KEY_MAJOR_FAULTS, more->major);
		stream_int(&f->s, KEY_READ_BYTES, more->bytes);
	}
	stream_end(&f->s, f->lane, begin_of(i) + us);
	if (!more->has_no_operators)
		put_operators(f, i, more->in_operator);
}

/* All inferences, one of them with more. */
static void put(struct fixture *f, const struct more *more)
{
	const struct more plain = { .has_no_usage = more->has_no_usage || more->is_of_slow,
				    .has_no_operators = more->has_no_operators };

	for (int i = 0; i < N; i++)
		put_run(f, i, i == SLOW ? more : &plain);
	if (more->is_beside) {
		stream_inference(&f->s, f->other, begin_of(SLOW) + 1000, "other", 2, 1000);
		stream_text(&f->s, KEY_STATUS, "ok");
		stream_end(&f->s, f->other, begin_of(SLOW) + 12000);
	}
	if (more->is_in_creation) {
		stream_int(&f->s, KEY_SESSION, 3);
		stream_begin(&f->s, f->other, begin_of(SLOW) + 2000, KIND_SESSION, "third");
		stream_end(&f->s, f->other, begin_of(SLOW) + 10000);
	}
	stream_real(&f->s, KEY_FAULT_NS, 1000);
	stream_instant(&f->s, f->process, begin_of(N), KIND_NOTE, EVENT_NOTE_COST);
}

/* A counter that has a value at the time of the slow inference, and another before and after; each 100 ms. */
static void sample(struct fixture *f, uint32_t process, const char *name, const char *unit, double usual, double then)
{
	uint32_t track = stream_counter(&f->s, process, name, unit);
	uint64_t slow_us = begin_of(SLOW);

	for (uint64_t us = 0; us <= begin_of(N) + 100000; us += 100000)
		stream_sample(&f->s, track, us, us >= slow_us && us < slow_us + 100000 ? then : usual);
}

/* The slow inference's parts; they add up. */
static const struct why *find(struct fixture *f)
{
	struct summary_file file = { 0 };
	const struct summary_model *model;
	double sum;

	f->summary = stream_summary(&f->s, &file);
	assert_non_null(f->summary);
	model = &f->summary->models[strcmp(names_text(f->s.names, f->summary->models[0].name), "m") != 0];
	assert_int_equal(f->summary->slowest[model->slowest.first].id, SLOW + 1);
	why_find(&f->why, f->summary, &f->summary->slowest[model->slowest.first], true);
	assert_true(f->why.is_known);
	sum = f->why.rest_ns;
	for (uint32_t i = 0; i < f->why.n; i++)
		sum += f->why.part[i].ns;
	assert_true(sum - f->why.excess_ns < 1 && f->why.excess_ns - sum < 1);
	return &f->why;
}

/* A cause with its microseconds and words. */
static void assert_part(const struct why *why, const char *cause, int us, const char *words)
{
	for (uint32_t i = 0; i < why->n; i++) {
		const struct why_part *part = &why->part[i];

		if (strcmp(part->cause, cause) != 0)
			continue;
		if (part->ns < us * US * 0.98 || part->ns > us * US * 1.02)
			fail_msg("%s: %f ns", cause, part->ns);
		if (!strstr(part->words.s, words))
			fail_msg("%s: '%s'", cause, part->words.s);
		return;
	}
	fail_msg("%s is not named", cause);
}

static void assert_not(const struct why *why, const char *cause)
{
	for (uint32_t i = 0; i < why->n; i++)
		if (!strcmp(why->part[i].cause, cause))
			fail_msg("%s is named: %s", cause, why->part[i].words.s);
}

#define CASE(name) TEST_FROM(name, struct fixture, f, setup, teardown)

CASE(a_compilation_counts_before_new_inputs_and_waits)
{
	const struct why *why;

	put(f, &(struct more){ .cpu = 20000, .wait = 20000, .shapes = "64x3", .compiles = 38000 });
	why = find(f);
	assert_part(why, "compilation", 38000, "compiling (for 38.0 ms of it)");
	for (uint32_t i = 1; i < why->n; i++)
		assert_true(why->part[i].ns < 3000 * US);
}

CASE(a_compilation_computes_before_it_waits)
{
	const struct why *why;

	put(f, &(struct more){ .cpu = 20000, .wait = 20000, .compiles = 20000 });
	why = find(f);
	assert_part(why, "compilation", 20000, "compiling (for 20.0 ms of it)");
	assert_part(why, "cpu_wait", 20000, "waiting for a CPU");
}

CASE(a_wait_names_who_ran_instead)
{
	const struct why *why;

	put(f, &(struct more){ .wait = 40000, .cpu = 1000 });
	sample(f, 0, "other program busy", "%", 0, 190);
	sample(f, f->process, "waited for hog", "%", 0, 38);
	sample(f, f->process, "waited for its own threads", "%", 0, 2);
	why = find(f);
	assert_part(why, "cpu_wait", 40000, "hog had it for 95.0 %");
	assert_null(strstr(why->part[0].words.s, "busy"));
	assert_null(strstr(why->part[0].words.s, "its own threads"));
	assert_true(why->excess_ns == 41e6);
}

CASE(a_wait_names_nobody_who_had_little_of_it)
{
	put(f, &(struct more){ .wait = 40000, .cpu = 1000 });
	sample(f, f->process, "waiting for a cpu", "%", 0, 80);
	sample(f, f->process, "waited for sampler", "%", 0, 3); /* of the rest it is not known who ran */
	find(f);
	assert_part(&f->why, "cpu_wait", 40000, "waiting for a CPU");
	assert_null(strstr(f->why.part[0].words.s, "sampler"));
}

CASE(without_events_of_the_scheduler_it_names_who_used_cpus)
{
	put(f, &(struct more){ .wait = 40000 });
	sample(f, 0, "other program hog", "%", 0, 190);
	sample(f, 0, "other program idler", "%", 0, 3);
	find(f);
	assert_part(&f->why, "cpu_wait", 40000, "(hog used 1.9 CPUs)");
}

CASE(a_pool_on_one_cpu_waits_for_itself)
{
	put(f, &(struct more){ .wait = 20000, .blocked = 10000 });
	sample(f, f->process, "waiting for a cpu", "%", 0, 250);
	sample(f, f->process, "cpu", "%", 100, 100);
	find(f);
	assert_part(&f->why, "cpu_wait", 20000, "its own threads used 1.0 CPUs while 2.5");
	assert_part(&f->why, "pool_wait", 10000, "other threads of the program waited");
}

CASE(who_neither_ran_nor_was_switched_out_lost_its_cpu)
{
	put(f, &(struct more){ .blocked = 20000, .in_operator = 20000, .is_never_switched = true });
	find(f);
	assert_part(&f->why, "stolen", 20000, "nor was switched out");
	assert_not(&f->why, "one_operator");
}

CASE(what_the_host_took_is_a_part_of_what_was_blocked)
{
	put(f, &(struct more){ .blocked = 90000, .in_operator = 90000 });
	sample(f, 0, "stolen", "%", 60, 60);
	find(f);
	assert_part(&f->why, "stolen", 60000, "the host of this virtual machine had its CPU (it took 60");
	assert_part(&f->why, "one_operator", 30000, "b took");
}

CASE(who_sleeps_loses_nothing)
{
	put(f, &(struct more){ .blocked = 20000, .in_operator = 20000 });
	find(f);
	assert_not(&f->why, "stolen");
	assert_part(&f->why, "one_operator", 20000, "b took");
}

/* SIGSTOP in the middle of an operator. */
CASE(no_operator_is_slow_because_its_process_did_nothing)
{
	put(f, &(struct more){ .blocked = 140000, .in_operator = 140000 });
	sample(f, f->process, "cpu", "%", 5, 5);
	sample(f, f->process, "waiting for a cpu", "%", 0, 0);
	find(f);
	assert_part(&f->why, "idle_process", 140000, "used 0.05 CPUs");
	assert_not(&f->why, "one_operator");
}

CASE(no_operator_is_slow_because_its_process_was_stopped)
{
	uint32_t lane = stream_lane(&f->s, f->process, EVENT_HALT_TRACED);

	stream_int(&f->s, KEY_FROM_NS, (int64_t)(begin_of(SLOW) + 5000) * US);
	stream_text(&f->s, KEY_TEXT, "gdb");
	stream_begin(&f->s, lane, begin_of(SLOW) + 6000, KIND_HALT, EVENT_HALT_TRACED);
	put(f, &(struct more){ .blocked = 140000, .in_operator = 140000 });
	stream_int(&f->s, KEY_UNTIL_NS, (int64_t)(begin_of(SLOW) + 149000) * US);
	stream_end(&f->s, lane, begin_of(SLOW) + 145000);
	sample(f, f->process, "cpu", "%", 5, 5);
	sample(f, f->process, "waiting for a cpu", "%", 0, 0);
	find(f);
	assert_part(&f->why, "stopped", 140000, "gdb held the process");
	assert_not(&f->why, "idle_process");
	assert_not(&f->why, "one_operator");
}

CASE(a_process_that_works_is_not_idle)
{
	put(f, &(struct more){ .blocked = 140000, .in_operator = 140000 });
	sample(f, f->process, "cpu", "%", 90, 90);
	sample(f, f->process, "waiting for a cpu", "%", 0, 0);
	find(f);
	assert_not(&f->why, "idle_process");
	assert_part(&f->why, "one_operator", 140000, "b took");
}

CASE(no_operator_is_slow_because_its_pool_had_no_cpu)
{
	put(f, &(struct more){ .blocked = 140000, .in_operator = 140000 });
	sample(f, f->process, "waiting for a cpu", "%", 0, 150);
	find(f);
	assert_part(&f->why, "pool_wait", 140000, "other threads of the program waited");
	assert_not(&f->why, "one_operator");
}

/* Only slow ones are known: the measure is the time that the others took, and no sum counts them. */
CASE(a_slow_one_among_short_ones_has_a_wait)
{
	put(f, &(struct more){ .wait = 40000, .in_operator = 40000, .is_of_slow = true });
	find(f);
	assert_part(&f->why, "cpu_wait", 40000, "waiting for a CPU");
	assert_not(&f->why, "one_operator");
	assert_int_equal(f->summary->models[0].runs.n_usage, 0);
	assert_int_equal(f->summary->models[0].runs.n_waits, 0);
}

/* Inferences that are too short for their usage to be read, on a machine whose CPUs do not suffice. */
CASE(a_wait_is_estimated_where_it_was_not_recorded)
{
	put(f, &(struct more){ .wait = 40000, .has_no_usage = true, .is_beside = true });
	sample(f, f->process, "waiting for a cpu", "%", 0, 300);
	sample(f, f->process, "cpu", "%", 100, 100);
	sample(f, 0, "other program hog", "%", 0, 190);
	find(f);
	assert_part(&f->why, "likely_wait", 30000, "used 1.0 CPUs while 3.0 of them waited; hog used 1.9 CPUs");
}

/* The operator in which its thread lost the CPU took longer for that. */
CASE(an_operator_is_not_blamed_for_a_wait_that_is_probable)
{
	put(f, &(struct more){ .wait = 40000, .in_operator = 40000, .has_no_usage = true });
	sample(f, f->process, "waiting for a cpu", "%", 0, 900);
	sample(f, f->process, "cpu", "%", 100, 100);
	find(f);
	assert_part(&f->why, "likely_wait", 36000, "while 9.0 of them waited");
	assert_not(&f->why, "one_operator");
}

/* Of 16 CPUs that are hardly busy it may use one. */
CASE(a_wait_for_the_cpus_that_it_may_use_is_no_wait_for_the_machine)
{
	uint32_t allowed = stream_counter(&f->s, f->process, "cpus allowed", "count");

	stream_int(&f->s, KEY_COUNT, 16);
	stream_instant(&f->s, f->process, 0, KIND_NOTE, EVENT_NOTE_RECORDING);
	stream_sample(&f->s, allowed, 0, 1);
	put(f, &(struct more){ .wait = 40000 });
	sample(f, 0, "cpu", "%", 5, 5);
	find(f);
	assert_part(&f->why, "cpu_wait", 40000, "waiting for a CPU (the program may use 1 of the machine's 16 CPUs)");
}

CASE(threads_that_wait_little_explain_nothing)
{
	put(f, &(struct more){ .wait = 40000, .has_no_usage = true });
	sample(f, f->process, "waiting for a cpu", "%", 0, 40);
	sample(f, f->process, "cpu", "%", 100, 100);
	find(f);
	assert_int_equal(f->why.n, 0);
}

CASE(a_quota_is_named_by_what_was_throttled)
{
	put(f, &(struct more){ .wait = 40000 });
	sample(f, f->process, "throttled", "%", 0, 30);
	find(f);
	assert_part(&f->why, "cpu_quota", 30000, "throttled 30.0 ms in the 100 ms around it");
	assert_part(&f->why, "cpu_wait", 10000, "waiting for a CPU");
}

CASE(reads_are_named_with_their_bytes)
{
	put(f, &(struct more){ .blocked = 30000, .cpu = 2000, .major = 12, .bytes = 4 << 20 });
	find(f);
	assert_part(&f->why, "disk_reads", 30000, "4.00 MiB, 12 major page faults");
	assert_not(&f->why, "page_faults");
}

CASE(reads_of_other_threads_come_from_the_counter)
{
	put(f, &(struct more){ .blocked = 30000 });
	sample(f, f->process, "disk reads", "bytes/s", 0, 100 << 20);
	find(f);
	assert_part(&f->why, "disk_reads", 30000, "the program read from a disk (10.0 MiB");
}

CASE(short_memory_is_named)
{
	put(f, &(struct more){ .blocked = 30000, .major = 3, .bytes = 4096 });
	sample(f, 0, "memory pressure", "%", 0, 20);
	find(f);
	assert_part(&f->why, "memory_pressure", 20000, "tasks waited 20.0 ms for it in the 100 ms around it");
	assert_part(&f->why, "disk_reads", 10000, "3 major page faults");
}

/* Other programs waited for memory: this thread used more CPU time, and had no more faults. */
CASE(memory_that_is_short_for_others_is_not_named)
{
	put(f, &(struct more){ .cpu = 20000 });
	sample(f, 0, "memory pressure", "%", 0, 20);
	find(f);
	assert_not(&f->why, "memory_pressure");
}

CASE(faults_take_what_one_was_measured_to_take)
{
	put(f, &(struct more){ .cpu = 5000, .faults = 4000 });
	find(f);
	assert_part(&f->why, "page_faults", 4000, "4,000 more page faults than usual (at 1.00 us each");
	assert_true(f->why.rest_ns == 1e6 && f->why.rest_cpu_ns == 1e6);
}

CASE(a_low_frequency_takes_its_share)
{
	put(f, &(struct more){ .cpu = 9000 });
	sample(f, 0, "cpu frequency", "MHz", 3000, 1500);
	find(f);
	assert_part(&f->why, "cpu_frequency", 8800, "1500 MHz, usually 28");
}

CASE(an_operator_that_took_more_is_named)
{
	put(f, &(struct more){ .cpu = 20000, .in_operator = 19000 });
	find(f);
	assert_part(&f->why, "one_operator", 19000, "b took 24.0 ms (median 5.00 ms)");
	assert_not(&f->why, "operators");
}

/* Its thread waited, inside an operator: that operator is not slow. */
CASE(an_operator_in_which_the_thread_waited_is_not_named)
{
	put(f, &(struct more){ .wait = 20000, .in_operator = 20000 });
	find(f);
	assert_part(&f->why, "cpu_wait", 20000, "");
	assert_int_equal(f->why.n, 1);
}

CASE(a_new_shape_is_named)
{
	put(f, &(struct more){ .cpu = 20000, .in_operator = 20000, .has_new_shape = true });
	find(f);
	assert_part(&f->why, "input_shape", 20000, "8x3, for the first time");
	assert_int_equal(f->why.n, 1);
}

/* 40 inferences; one of them has an input of five times the elements beside a large one, five times the work, and
 * waits. */
static void put_large(struct fixture *f, int wait)
{
	for (int i = 0; i < N; i++)
		put_run(f, i,
			i == SLOW ? &(struct more){ .cpu = 36000, .wait = wait, .shapes = "int64[1x60],float32[1x256]" }
				  : &(struct more){ .shapes = "int64[1x12],float32[1x256]" });
	find(f);
}

CASE(one_large_input_explains_the_waits_of_its_work)
{
	put_large(f, 800);
	assert_part(&f->why, "input_shape", 36800,
		    "as an input has 5 times as many elements as in 39 of 40 inferences");
	assert_part(&f->why, "input_shape", 36800, "with the waits for a CPU of so much work (input 1 of 2: 1x60,");
	assert_int_equal(f->why.n, 1);
}

CASE(a_large_input_explains_no_more_waits_than_that)
{
	put_large(f, 20800);
	assert_part(&f->why, "input_shape", 36800, "as an input has 5 times");
	assert_part(&f->why, "cpu_wait", 20000, "");
}

/* Two in three have 12 elements. The slow one is beside others of its own shape. */
CASE(beside_its_own_shape_an_input_explains_nothing)
{
	for (int i = 0; i < N; i++)
		put_run(f, i,
			&(struct more){ .shapes = i % 3 && i != SLOW ? "int64[1x12]" : "int64[1x60]",
					.cpu = i == SLOW ? 36000 : 0,
					.wait = i == SLOW ? 800 : 0 });
	find(f);
	assert_not(&f->why, "input_shape");
}

CASE(beside_its_own_size_an_input_explains_nothing)
{
	static char texts[N][24];

	for (int i = 0; i < N; i++) {
		bool is_short = i % 8 < 3 && i != SLOW;

		snprintf(texts[i], sizeof texts[i], is_short ? "int64[1x12]" : "int64[1x%d]", 100 + i % 12);
		put_run(
		    f, i,
		    &(struct more){ .shapes = texts[i], .cpu = is_short ? 0 : 2000, .blocked = i == SLOW ? 40000 : 0 });
	}
	find(f);
	assert_not(&f->why, "input_shape");
}

CASE(another_session_is_named)
{
	put(f, &(struct more){ .cpu = 6000, .is_beside = true });
	find(f);
	assert_part(&f->why, "other_inferences", 6000, "for 11.0 ms, most of other in session 2");
}

CASE(a_creation_is_named)
{
	put(f, &(struct more){ .cpu = 20000, .is_in_creation = true });
	find(f);
	assert_part(&f->why, "session_creation", 8000, "for 8.00 ms of it");
}

CASE(what_is_not_there_is_not_named)
{
	static const struct {
		const char *name, *unit;
		bool is_of_process;
	} counters[] = {
		{ "throttled", "%", true },	    { "disk reads", "bytes/s", true },
		{ "waiting for a cpu", "%", true }, { "memory pressure", "%", false },
		{ "other program x", "%", false },  { "waited for x", "%", true },
	};

	put(f, &(struct more){ .cpu = 20000 });
	for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
		sample(f, counters[i].is_of_process ? f->process : 0, counters[i].name, counters[i].unit, 0, 0);
	sample(f, 0, "cpu frequency", "MHz", 3000, 3000);
	find(f);
	assert_int_equal(f->why.n, 0);
	assert_true(f->why.rest_ns == 20e6 && f->why.rest_cpu_ns == 20e6);
	assert_string_equal(f->why.missing.s, "");
}

CASE(a_recording_without_figures_says_what_is_missing)
{
	put(f, &(struct more){ .cpu = 20000, .has_no_usage = true, .has_no_operators = true });
	find(f);
	assert_int_equal(f->why.n, 0);
	assert_true(isnan(f->why.rest_cpu_ns));
	assert_non_null(strstr(f->why.missing.s, "CPU time and waits of this inference were not recorded"));
	assert_non_null(strstr(f->why.missing.s, "its operators were not recorded"));
}

CASE(operators_alone_explain_what_they_can)
{
	put(f, &(struct more){ .cpu = 20000, .in_operator = 15000, .has_no_usage = true });
	find(f);
	assert_part(&f->why, "one_operator", 15000, "b took 20.0 ms (median 5.00 ms)");
	assert_non_null(strstr(f->why.missing.s, "CPU time and waits"));
}

/* Of 40 inferences, every second has a shape that takes longer: each is measured by its own. */
CASE(shapes_have_medians_of_their_own)
{
	const struct summary_slow *slow;

	for (int i = 0; i < N; i++)
		put_run(f, i, &(struct more){ .cpu = i % 2 ? 10000 : i == 24 ? 20000 : 0, .has_new_shape = i % 2 });
	f->summary = stream_summary(&f->s, &(struct summary_file){ 0 });
	slow = f->summary->slowest;
	assert_int_equal(slow->id, 25);
	assert_true(slow->usual.is_of_shape);
	assert_int_equal(slow->usual.p50_ns, 10000 * US);
	assert_int_equal(slow[1].usual.p50_ns, 20000 * US);
	assert_int_equal(slow[1].n_of_shape, N / 2);
}

CASE(as_many_as_asked_for_are_looked_into)
{
	struct summary_opts opts = { .slowest = 12 };

	put(f, &(struct more){ .cpu = 1000 });
	f->summary = stream_summary_of(&f->s, &opts, &(struct summary_file){ 0 });
	assert_int_equal(f->summary->models[0].slowest.n, 12);
}

/* One GPU; in percent: of the whole device, and of the process. */
static void gpu(struct fixture *f, double usual, double then, double own_usual, double own_then)
{
	stream_track(&f->s,
		     (struct track_def){ .type = TRACK_GROUP, .name = stream_name(&f->s, "gpu card1: amdgpu at 0") });
	sample(f, 0, "gpu card1 busy", "%", usual, then);
	sample(f, 0, "gpu card1 memory busy", "%", 99, 99);
	if (own_usual + own_then > 0)
		sample(f, f->process, "gpu card1 compute", "%", own_usual, own_then);
}

CASE(a_device_that_worked_for_longer_is_named)
{
	put(f, &(struct more){ .blocked = 90000 });
	gpu(f, 95, 95, 95, 95);
	assert_part(find(f), "device", 85500, "while gpu card1 worked for this process (for 95.0 ms, usually 9.50 ms)");
}

CASE(a_device_that_worked_for_others_is_named)
{
	put(f, &(struct more){ .blocked = 90000 });
	gpu(f, 20, 90, 20, 10);
	assert_part(find(f), "device", 77500, "while gpu card1 worked for other processes (for 79.");
}

/* It does what it always does, or what the process has nothing to do with. */
CASE(a_device_that_works_as_usual_is_not_named)
{
	put(f, &(struct more){ .blocked = 90000 });
	gpu(f, 70, 70, 64, 64);
	assert_not(find(f), "device");
}

CASE(a_device_of_other_programs_alone_is_not_named)
{
	put(f, &(struct more){ .blocked = 90000 });
	gpu(f, 0, 100, 0, 0);
	assert_not(find(f), "device");
}

CASE(a_sample_of_much_more_than_the_inference_is_no_evidence)
{
	put(f, &(struct more){ .blocked = 10000 });
	gpu(f, 10, 100, 10, 100);
	assert_not(find(f), "device");
}

static void kernels(struct fixture *f, int slow_us)
{
	uint32_t track = stream_lane(&f->s, f->process, "CUDA profile");

	for (int i = 0; i < N; i++) {
		stream_int(&f->s, KEY_INFERENCE, i + 1);
		stream_begin(&f->s, track, begin_of(i) + 200, KIND_KERNEL, "gemm");
		stream_end(&f->s, track, begin_of(i) + 200 + (uint64_t)(i == SLOW ? slow_us : 6000));
	}
}

CASE(kernels_that_took_longer_are_named)
{
	put(f, &(struct more){ .cpu = 5000, .blocked = 25000 });
	kernels(f, 30000);
	assert_part(find(f), "device", 24000, "ran its kernels (for 30.0 ms, usually 6.00 ms)");
}

CASE(kernels_that_took_as_long_are_not_named)
{
	put(f, &(struct more){ .blocked = 30000 });
	kernels(f, 6500);
	gpu(f, 10, 100, 10, 100);
	assert_not(find(f), "device");
}
