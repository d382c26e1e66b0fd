// SPDX-License-Identifier: Apache-2.0
/* No finding comes from one moment: a thread that lost the CPU, a stop of the process, a burst of another program. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/insight/recorded.h"
#include "cases.h"
#include "findings.h"
#include "show/report/reports.h"
#include "show/words/time_words.h"
#include "stream.h"

enum { USUAL_US = 2000 };

struct fixture {
	struct stream s;
	struct summary *summary;
	struct recorded recorded;
	uint32_t process, lane, other_lane, thread;
	int64_t number, session;
	uint64_t us;
};

/* An inference. What is 0 is not told. */
struct one {
	uint64_t took_us, waited_us, blocked_us;
	int64_t batch;
	bool is_first, is_subnormal, has_usage;
	int64_t read_bytes;
	const char *shapes;
};

static void begin(struct fixture *f)
{
	*f = (struct fixture){ .us = 1000, .session = 1 };
	stream_init(&f->s);
	f->process = stream_process(&f->s, 7, "app");
	f->lane = stream_lane(&f->s, f->process, "m");
	f->other_lane = stream_lane(&f->s, f->process, "m");
	f->thread = stream_thread(&f->s, f->process, 8);
	stream_int(&f->s, KEY_COUNT, 4);
	stream_instant(&f->s, f->process, 0, KIND_NOTE, EVENT_NOTE_RECORDING);
}

static void run(struct fixture *f, const struct one *one)
{
	uint64_t took_us = one->took_us ? one->took_us : USUAL_US;

	if (one->batch)
		stream_int(&f->s, KEY_BATCH, one->batch);
	if (one->shapes)
		stream_text(&f->s, KEY_SHAPES, one->shapes);
	stream_int(&f->s, KEY_FIRST, one->is_first);
	stream_inference(&f->s, f->lane, f->us, "m", f->session, ++f->number);
	if (one->has_usage) {
		stream_int(&f->s, KEY_RUN_QUEUE_NS, (int64_t)one->waited_us * 1000);
		stream_int(&f->s, KEY_THREAD_CPU_NS, (int64_t)(took_us - one->waited_us - one->blocked_us) * 1000);
		stream_int(&f->s, KEY_FAULTS, 0);
		if (one->read_bytes)
			stream_int(&f->s, KEY_READ_BYTES, one->read_bytes);
	}
	if (one->is_subnormal)
		stream_int(&f->s, KEY_SUBNORMAL, 1);
	stream_text(&f->s, KEY_STATUS, "ok");
	f->us += took_us;
	stream_end(&f->s, f->lane, f->us);
}

static void run_some(struct fixture *f, int n, const struct one *one)
{
	for (int i = 0; i < n; i++)
		run(f, one);
}

static void count(struct fixture *f, const char *name, const char *unit, double value)
{
	uint32_t counter = stream_counter(&f->s, f->process, name, unit);

	for (uint64_t us = 0; us <= f->us; us += 1000)
		stream_sample(&f->s, counter, us, value);
}

static const struct finding *find(struct fixture *f, const char *name)
{
	struct summary_file file = { 0 };

	if (!f->summary) {
		f->summary = stream_summary(&f->s, &file);
		assert_non_null(f->summary);
		assert_int_equal(recorded_init(&f->recorded, f->summary, NULL), 0);
	}
	return findings_of(f->recorded.model, name, 0);
}

static bool has(struct fixture *f, const char *name)
{
	bool is_found = find(f, name) != NULL;

	recorded_done(&f->recorded);
	summary_free(f->summary);
	stream_done(&f->s);
	return is_found;
}

/* A transformer takes that long, of which its thread waited for a CPU; two more slices take 10 ms each. */
static void create(struct fixture *f, uint64_t took_us, uint64_t waited_us)
{
	static const char *const others[] = { "resolve graph", "create kernels" };

	stream_int(&f->s, KEY_SESSION, f->session);
	stream_begin(&f->s, f->lane, f->us, KIND_SESSION, "m");
	for (int i = 0; i < 2; i++) {
		stream_begin(&f->s, f->lane, f->us, KIND_PHASE, others[i]);
		stream_end(&f->s, f->lane, f->us += 10000);
	}
	stream_begin(&f->s, f->lane, f->us, KIND_SPECIALIZE, "ConstantFolding");
	stream_int(&f->s, KEY_RUN_QUEUE_NS, (int64_t)waited_us * 1000);
	stream_end(&f->s, f->lane, f->us += took_us);
	stream_int(&f->s, KEY_RUN_QUEUE_NS, 0);
	stream_end(&f->s, f->lane, f->us);
}

TEST(what_is_read_from_a_disk_each_time_is_found)
{
	static const struct {
		struct one one;
		int n;
		bool is_found;
	} cases[] = {
		{ { .took_us = 100000, .blocked_us = 40000, .has_usage = true, .read_bytes = 90 << 20 }, 12, true },
		{ { .took_us = 100000, .blocked_us = 2000, .has_usage = true, .read_bytes = 90 << 20 }, 12, false },
		{ { .took_us = 100000, .blocked_us = 40000, .has_usage = true, .read_bytes = 4096 }, 12, false },
		{ { .took_us = 100000, .blocked_us = 40000, .has_usage = true, .read_bytes = 90 << 20 }, 4, false },
	};
	struct fixture fixture, *f = &fixture;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct finding *found;

		begin(f);
		run(f, &(struct one){ .took_us = 100000, .is_first = true });
		run_some(f, cases[i].n, &cases[i].one);
		run_some(f, 12 - cases[i].n, &(struct one){ .took_us = 100000, .has_usage = true });
		found = find(f, "reads_again");
		assert_true((found != NULL) == cases[i].is_found);
		if (found)
			assert_true(found->low == 90 << 20 && fabs(found->value - 0.4) < 0.01 && found->a == 12);
		assert_true(cases[i].is_found ==
			    !!strstr(time_cause(f->summary, true).s, ", reading 90.0 MiB each from a disk"));
		has(f, "");
	}
}

TEST(a_file_that_is_read_for_long_lies_on_a_disk_or_beyond)
{
	static const char *const phases[] = { "read file", "resolve graph" };
	struct fixture fixture, *f = &fixture;

	for (int i = 0; i < 2; i++) {
		const struct finding *found;

		begin(f);
		stream_int(&f->s, KEY_SESSION, f->session);
		stream_begin(&f->s, f->lane, f->us, KIND_SESSION, "m");
		stream_begin(&f->s, f->lane, f->us, KIND_PHASE, phases[i]);
		stream_end(&f->s, f->lane, f->us += 300000);
		stream_end(&f->s, f->lane, f->us += 1000);
		run_some(f, 10, &(struct one){ 0 });
		found = find(f, "slow_phase");
		assert_true(found && found->low == 300e6);
		assert_true(!i == !!strstr(insight_words_of(f->recorded.model, found, true).next.s, "disk or network"));
		has(f, "");
	}
}

TEST(a_phase_that_lost_the_cpu_is_not_slow)
{
	struct fixture fixture, *f = &fixture;
	const uint64_t *phase_ns;

	for (uint64_t waited_us = 0; waited_us <= 38000; waited_us += 38000) {
		begin(f);
		create(f, 40000, waited_us);
		run_some(f, 10, &(struct one){ 0 });
		find(f, "");
		phase_ns = f->summary->models[0].creation.phase_ns;
		assert_int_equal(phase_ns[PHASE_WAITING], waited_us * 1000);
		assert_int_equal(phase_ns[PHASE_TRANSFORM], (40000 - waited_us) * 1000);
		assert_int_equal(f->summary->models[0].creation.n_waits, 1);
		if (!waited_us) {
			assert_string_equal(find(f, "slow_phase")->text, "ConstantFolding");
			assert_non_null(strstr(insight_words_of(f->recorded.model, find(f, "slow_phase"), true).next.s,
					       "disabled_optimizers"));
			assert_true(find(f, "slow_phase")->low == 40e6);
		} else {
			assert_true(!find(f, "slow_phase") || strcmp(find(f, "slow_phase")->text, "ConstantFolding"));
		}
		has(f, "");
	}
}

TEST(sessions_that_lost_the_cpu_are_not_worth_keeping)
{
	struct fixture fixture, *f = &fixture;

	for (uint64_t waited_us = 0; waited_us <= 300000; waited_us += 300000) {
		begin(f);
		for (f->session = 1; f->session <= 2; f->session++) {
			create(f, 301000, waited_us);
			run_some(f, 40, &(struct one){ 0 });
		}
		assert_int_equal(find(f, "specialized_again") != NULL, !waited_us);
		assert_int_equal(has(f, "created_again"), !waited_us);
	}
}

TEST(a_first_one_that_lost_the_cpu_is_not_slow)
{
	struct fixture fixture, *f = &fixture;

	for (uint64_t waited_us = 0; waited_us <= 60000; waited_us += 60000) {
		begin(f);
		run(f, &(struct one){ .took_us = 63000, .waited_us = waited_us, .has_usage = true, .is_first = true });
		run_some(f, 20, &(struct one){ 0 });
		assert_int_equal(has(f, "slow_first"), !waited_us);
	}
}

/* What it waited is not known, and other programs have the CPUs. */
TEST(a_first_one_on_a_busy_machine_may_have_lost_the_cpu)
{
	struct fixture fixture, *f = &fixture;

	for (int is_busy = 0; is_busy <= 1; is_busy++) {
		uint32_t machine;

		begin(f);
		run(f, &(struct one){ .took_us = 63000, .is_first = true });
		run_some(f, 20, &(struct one){ 0 });
		machine = stream_counter(&f->s, 0, "cpu", "%");
		for (uint64_t us = 0; us <= f->us; us += 1000)
			stream_sample(&f->s, machine, us, is_busy ? 100 : 25);
		count(f, "cpu", "%", 100);
		assert_int_equal(has(f, "slow_first"), !is_busy);
	}
}

/* The i-th of 120 inferences, in ms. */
static uint64_t rises(int i)
{
	return 1000 + 10 * (uint64_t)i;
}

static uint64_t falls(int i)
{
	return 2200 - 10 * (uint64_t)i;
}

static uint64_t jumps(int i)
{
	return i < 80 ? 1000 : 2000;
}

static uint64_t comes_and_goes(int i)
{
	return i > 55 && i < 100 ? 1000 : 2000;
}

static uint64_t rises_shortly(int i)
{
	return 100 + (uint64_t)i;
}

TEST(a_drift_goes_on_all_the_time)
{
	static const struct {
		uint64_t (*took_us)(int i);
		uint64_t wait_from, waited_us;
		bool is_found;
	} cases[] = {
		{ rises, 120, 0, true },   { falls, 120, 0, true },	      { jumps, 120, 0, false },
		{ rises, 90, 900, false }, { comes_and_goes, 120, 0, false }, { rises_shortly, 120, 0, false },
	};
	struct fixture fixture, *f = &fixture;

	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		begin(f);
		for (int i = 0; i < 120; i++)
			run(f, &(struct one){ .took_us = cases[k].took_us(i),
					      .waited_us = (uint64_t)i >= cases[k].wait_from ? cases[k].waited_us : 0,
					      .has_usage = true });
		assert_int_equal(has(f, "drifts"), cases[k].is_found);
	}
}

TEST(one_slow_one_does_not_make_them_uneven)
{
	struct fixture fixture, *f = &fixture;

	for (int n_slow = 1; n_slow <= 4; n_slow += 3) {
		begin(f);
		for (int i = 0; i < 80; i++)
			run(f, &(struct one){ .took_us = i % 20 == 5 && i < 20 * n_slow ? 300000 : 0 });
		assert_int_equal(has(f, "uneven"), n_slow == 4);
	}
}

TEST(a_batch_is_small_only_if_all_of_its_size_are_slow)
{
	struct fixture fixture, *f = &fixture;

	for (int n_slow = 2; n_slow <= 10; n_slow += 8) {
		begin(f);
		for (int i = 0; i < 10; i++)
			run(f, &(struct one){ .took_us = i < n_slow ? 5000 : 500, .batch = 1 });
		run_some(f, 5, &(struct one){ .took_us = 4000, .batch = 8 });
		assert_int_equal(has(f, "small_batch"), n_slow == 10);
	}
}

TEST(subnormal_numbers_are_not_to_blame_for_a_busy_moment)
{
	/* with usage: they waited; without: two of twelve are slow for whatever reason */
	static const struct {
		uint64_t took_us, waited_us;
		int n_slow;
		bool is_found;
	} cases[] = { { 4000, 0, 12, true }, { 4000, 1900, 12, false }, { 60000, 0, 2, false } };
	struct fixture fixture, *f = &fixture;

	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		begin(f);
		run_some(f, 20, &(struct one){ .shapes = "float[8]", .has_usage = true });
		for (int i = 0; i < 12; i++)
			run(f, &(struct one){ .took_us = i < cases[k].n_slow ? cases[k].took_us : 0,
					      .waited_us = cases[k].waited_us,
					      .has_usage = true,
					      .is_subnormal = true,
					      .shapes = "float[8]" });
		assert_int_equal(has(f, "subnormals"), cases[k].is_found);
	}
}

TEST(a_size_is_slow_only_if_all_of_it_are)
{
	struct fixture fixture, *f = &fixture;

	for (int n_slow = 2; n_slow <= 3; n_slow++) {
		begin(f);
		run_some(f, 30, &(struct one){ .shapes = "float[8]" });
		for (int i = 0; i < 3; i++)
			run(f, &(struct one){ .took_us = i < n_slow ? 20000 : 1500, .shapes = "float[64]" });
		assert_int_equal(has(f, "input_sizes"), n_slow == 3);
	}
}

TEST(new_shapes_are_slow_only_if_most_are)
{
	/* the first of each shape takes that long, of so many shapes; pauses: before the first, and before the others
	 */
	static const struct {
		uint64_t first_us, waited_us, blocked_us, pause_us, later_pause_us;
		int n_slow, n_shapes;
		bool is_of_slow; /* usage is known of slow ones only */
		bool is_found;
	} cases[] = { { .first_us = 40000, .n_slow = 4, .n_shapes = 4, .is_found = true },
		      { .first_us = 40000, .n_slow = 4, .n_shapes = 5, .is_found = true },
		      { .first_us = 40000, .n_slow = 4, .n_shapes = 6 }, /* two are not slow */
		      { .first_us = 40000, .n_slow = 2, .n_shapes = 2 }, /* chance */
		      { .first_us = 40000, .waited_us = 39000, .n_slow = 4, .n_shapes = 4 },
		      { .first_us = 40000, .blocked_us = 37000, .n_slow = 4, .n_shapes = 4 },
		      { .first_us = 40000, .pause_us = 30000, .n_slow = 4, .n_shapes = 4 }, /* caches were cold */
		      { .first_us = 40000,
			.pause_us = 30000,
			.later_pause_us = 20000,
			.n_slow = 4,
			.n_shapes = 4,
			.is_found = true },
		      { .first_us = 40000,
			.blocked_us = 37000, /* others compile for it */
			.n_slow = 4,
			.n_shapes = 4,
			.is_of_slow = true,
			.is_found = true },
		      { .first_us = 7000, .n_slow = 3, .n_shapes = 3 } }; /* 15 ms in all */
	char shapes[32];
	struct fixture fixture, *f = &fixture;

	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		begin(f);
		run(f,
		    &(struct one){ .took_us = 90000, .is_first = true, .shapes = "float32[1x8]", .has_usage = true });
		for (int turn = 0; turn < 4; turn++)
			for (int i = 0; i < cases[k].n_shapes; i++) {
				bool is_slow = !turn && i < cases[k].n_slow;

				snprintf(shapes, sizeof shapes, "float32[1x%d]", 16 + i);
				f->us += turn ? cases[k].later_pause_us : cases[k].pause_us;
				run(f, &(struct one){ .took_us = is_slow ? cases[k].first_us : 0,
						      .waited_us = is_slow ? cases[k].waited_us : 0,
						      .blocked_us = is_slow ? cases[k].blocked_us : 0,
						      .has_usage = is_slow || !cases[k].is_of_slow,
						      .shapes = shapes });
			}
		assert_int_equal(has(f, "slow_new_shapes"), cases[k].is_found);
	}
}

/* Six inferences beside another session's, of which some are blocked. */
TEST(one_that_is_blocked_does_not_wait_for_a_session)
{
	struct fixture fixture, *f = &fixture;

	for (int n_blocked = 1; n_blocked <= 6; n_blocked += 5) {
		begin(f);
		run_some(f, 10, &(struct one){ .has_usage = true });
		stream_inference(&f->s, f->other_lane, f->us, "other", 2, 999);
		for (int i = 0; i < 6; i++) {
			uint64_t blocked_us = i < n_blocked ? 6000 : 0;

			run(f, &(struct one){
				   .took_us = USUAL_US + blocked_us, .blocked_us = blocked_us, .has_usage = true });
		}
		stream_text(&f->s, KEY_STATUS, "ok");
		stream_end(&f->s, f->other_lane, f->us);
		assert_int_equal(has(f, "waits_for_session"), n_blocked == 6);
	}
}

TEST(one_long_wait_for_a_cpu_is_none_of_all)
{
	struct fixture fixture, *f = &fixture;

	for (int n_waits = 1; n_waits <= 5; n_waits += 4) {
		begin(f);
		for (int i = 0; i < 50; i++) {
			uint64_t waited_us = i % 10 == 5 && i < 10 * n_waits ? 20000 : 0;

			run(f, &(struct one){
				   .took_us = USUAL_US + waited_us, .waited_us = waited_us, .has_usage = true });
		}
		assert_int_equal(has(f, "waits_for_cpu"), n_waits == 5);
	}
}

TEST(a_stopped_process_leaves_no_cpu_unused)
{
	struct fixture fixture, *f = &fixture;
	uint64_t from_us;

	for (int is_stopped = 0; is_stopped <= 1; is_stopped++) {
		uint32_t halts;

		begin(f);
		run_some(f, 20, &(struct one){ 0 });
		from_us = f->us + 500;
		run(f, &(struct one){ .took_us = 60000 });
		run_some(f, 20, &(struct one){ 0 });
		if (is_stopped) {
			halts = stream_lane(&f->s, f->process, EVENT_HALT_STOPPED);
			stream_begin(&f->s, halts, from_us, KIND_HALT, EVENT_HALT_STOPPED);
			stream_end(&f->s, halts, from_us + 50000);
		}
		count(f, "cpu", "%", 100);
		assert_int_equal(has(f, "idle_cores"), !is_stopped);
	}
}

/* Operators take 100 us of each; the rest is work of the runtime, or a wait for a CPU. */
TEST(waits_for_a_cpu_are_no_work_outside_of_operators)
{
	struct fixture fixture, *f = &fixture;

	for (uint64_t waited_us = 0; waited_us <= 1800; waited_us += 1800) {
		begin(f);
		for (int i = 0; i < 20; i++) {
			stream_inference(&f->s, f->lane, f->us, "m", 1, ++f->number);
			stream_operator(&f->s, f->thread, f->us, "conv", "Conv", f->number);
			stream_end(&f->s, f->thread, f->us + 100);
			stream_int(&f->s, KEY_RUN_QUEUE_NS, (int64_t)waited_us * 1000);
			stream_int(&f->s, KEY_THREAD_CPU_NS, (int64_t)(USUAL_US - waited_us) * 1000);
			stream_int(&f->s, KEY_FAULTS, 0);
			stream_text(&f->s, KEY_STATUS, "ok");
			stream_end(&f->s, f->lane, f->us += USUAL_US);
		}
		assert_int_equal(has(f, "unattributed"), !waited_us);
	}
}

static bool says_waits(struct fixture *f)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	bool says;

	find(f, "uneven");
	report_write(out, report_format_named("text"), &(struct report){ f->summary, f->recorded.model, f->recorded.n },
		     &(struct report_look){ 0 });
	fclose(out);
	for (char *at = text; (at = strchr(at, '\n'));)
		*at = ' ';
	says = strstr(text, "inferences waited for a CPU 25 % of their time");
	free(text);
	recorded_done(&f->recorded);
	summary_free(f->summary);
	stream_done(&f->s);
	return says;
}

/* Waits of 390 inferences: a quarter of the time of each, of every tenth, of one of these. */
TEST(one_wait_is_no_part_of_the_verdict)
{
	static const struct {
		int every, waits_every;
		bool says;
	} cases[] = { { 1, 1, true }, { 10, 10, false }, { 2, 2, true }, { 3, 3, true }, { 2, 1000, false } };
	struct fixture fixture, *f = &fixture;

	for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
		begin(f);
		for (int i = 0; i < 390; i++)
			run(f, &(struct one){ .took_us = i == 0 && cases[c].waits_every == 1000 ? 130000 : 0,
					      .has_usage = i % cases[c].every == 0,
					      .waited_us = cases[c].waits_every == 1000
							       ? (i ? 0 : 129500)
							       : (i % cases[c].waits_every ? 0 : USUAL_US / 4) });
		assert_int_equal(says_waits(f), cases[c].says);
	}
}
