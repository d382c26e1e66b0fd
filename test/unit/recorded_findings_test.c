// SPDX-License-Identifier: Apache-2.0
/* Findings of recordings: each in a recording that shows it, and not in one close by. */
#include <math.h>
#include <stdio.h>

#include "analyze/insight/recorded.h"
#include "cases.h"
#include "findings.h"
#include "stream.h"

struct fixture {
	struct stream s;
	struct summary *summary;
	struct recorded recorded;
	uint32_t process, lane, other_lane, thread;
	int64_t number;
};

/* Inferences of a session, one after the other. */
struct series {
	int64_t session;
	uint64_t at_us, took_us, every_us; /* every_us 0: one follows the other */
	int n;
	int64_t cpu_us, waited_us; /* of each; 0: the thread's usage is not known */
	int64_t batch;
	bool is_subnormal, has_gradients, is_training_mode;
	uint64_t operator_us; /* 0: none are recorded */
	bool is_on_other_lane;
};

static void begin(struct fixture *f)
{
	*f = (struct fixture){ 0 };
	stream_init(&f->s);
	f->process = stream_process(&f->s, 7, "app");
	f->lane = stream_lane(&f->s, f->process, "m");
	f->other_lane = stream_lane(&f->s, f->process, "m");
	f->thread = stream_thread(&f->s, f->process, 8);
}

static void begin_on(struct fixture *f, int64_t n_cpus)
{
	begin(f);
	stream_int(&f->s, KEY_COUNT, n_cpus);
	stream_instant(&f->s, f->process, 0, KIND_NOTE, EVENT_NOTE_RECORDING);
}

static void asked(struct fixture *f, int64_t session, const char *providers)
{
	stream_text(&f->s, KEY_MODEL, "m");
	stream_text(&f->s, KEY_PROVIDERS, providers);
	stream_int(&f->s, KEY_SESSION, session);
	stream_instant(&f->s, f->process, 0, KIND_NOTE, EVENT_NOTE_CREATED);
}

/* A session whose creation takes that long; transform_us of it optimizes the model. */
static void create(struct fixture *f, uint64_t at_us, int64_t session, uint64_t took_us, uint64_t transform_us)
{
	stream_int(&f->s, KEY_SESSION, session);
	stream_begin(&f->s, f->lane, at_us, KIND_SESSION, "m");
	stream_begin(&f->s, f->lane, at_us, KIND_SPECIALIZE, "ConstantFolding");
	stream_end(&f->s, f->lane, at_us + transform_us);
	stream_end(&f->s, f->lane, at_us + took_us);
}

static void run(struct fixture *f, const struct series *series)
{
	uint32_t lane = series->is_on_other_lane ? f->other_lane : f->lane;

	for (int i = 0; i < series->n; i++) {
		uint64_t every_us = series->every_us ? series->every_us : series->took_us;
		uint64_t us = series->at_us + (uint64_t)i * every_us;

		if (series->batch)
			stream_int(&f->s, KEY_BATCH, series->batch);
		stream_inference(&f->s, lane, us, "m", series->session, ++f->number);
		if (series->operator_us) {
			stream_operator(&f->s, f->thread, us, "conv", "Conv", f->number);
			stream_end(&f->s, f->thread, us + series->operator_us);
		}
		if (series->cpu_us) {
			stream_int(&f->s, KEY_RUN_QUEUE_NS, series->waited_us * 1000);
			stream_int(&f->s, KEY_THREAD_CPU_NS, series->cpu_us * 1000);
			stream_int(&f->s, KEY_FAULTS, 0);
		}
		if (series->is_subnormal)
			stream_int(&f->s, KEY_SUBNORMAL, 1);
		if (series->has_gradients)
			stream_int(&f->s, KEY_GRADIENTS, 1);
		if (series->is_training_mode)
			stream_int(&f->s, KEY_TRAINING_MODE, 1);
		stream_text(&f->s, KEY_STATUS, "ok");
		stream_end(&f->s, lane, us + series->took_us);
	}
}

/* Its value at 1 ms, 2 ms ... */
static void count(struct fixture *f, uint32_t process, const char *name, const char *unit, double first, double more)
{
	uint32_t counter = stream_counter(&f->s, process, name, unit);

	for (int i = 0; i < 40; i++)
		stream_sample(&f->s, counter, 1000 + (uint64_t)i * 1000, first + more * i);
}

static void analyse(struct fixture *f)
{
	struct summary_file file = { 0 };

	f->summary = stream_summary(&f->s, &file);
	assert_non_null(f->summary);
	assert_int_equal(recorded_init(&f->recorded, f->summary, NULL), 0);
	assert_int_equal(f->recorded.n, 1);
}

static const struct finding *find(const struct fixture *f, const char *name)
{
	return findings_of(f->recorded.model, name, 0);
}

static const char *evidence(const struct fixture *f, const char *name)
{
	static struct insight_words words;

	words = insight_words_of(f->recorded.model, find(f, name), true);
	return words.evidence.s;
}

static const char *advice(const struct fixture *f, const char *name)
{
	static struct insight_words words;

	words = insight_words_of(f->recorded.model, find(f, name), true);
	return words.next.s;
}

static void end(struct fixture *f)
{
	recorded_done(&f->recorded);
	summary_free(f->summary);
	stream_done(&f->s);
}

/* 40 inferences of 24 operators; so long each, and the last one, is outside of operators. */
static const struct finding *tiny_operators_of(struct fixture *f, uint64_t op_us, uint64_t outside_us, uint64_t last_us)
{
	uint64_t us = 100;
	char name[16];

	begin(f);
	for (int i = 0; i < 40; i++) {
		stream_int(&f->s, KEY_FIRST, !i);
		stream_inference(&f->s, f->lane, us, "m", 1, ++f->number);
		for (int op = 0; op < 24; op++) {
			snprintf(name, sizeof name, "add%d", op);
			stream_operator(&f->s, f->thread, us, name, "Add", f->number);
			stream_end(&f->s, f->thread, us += op_us);
		}
		us += i < 39 ? outside_us : last_us;
		stream_text(&f->s, KEY_STATUS, "ok");
		stream_end(&f->s, f->lane, us);
		us += 10;
	}
	analyse(f);
	return find(f, "tiny_operators");
}

TEST(one_lost_cpu_makes_no_operators_tiny)
{
	struct fixture fixture, *f = &fixture;

	assert_non_null(tiny_operators_of(f, 2, 30, 30));
	end(f);
	assert_null(tiny_operators_of(f, 2, 1, 6000));
	end(f);
}

/* n inferences of that time, in which one operator computes and one reorders, 100 us each. */
static const struct finding *moves_of(struct fixture *f, uint64_t took_us, int n)
{
	static const char *const types[] = { "Conv", "Transpose" };
	uint64_t us = 100;

	begin(f);
	for (int i = 0; i < n; i++, us += took_us + 10) {
		stream_int(&f->s, KEY_FIRST, !i);
		stream_inference(&f->s, f->lane, us, "m", 1, ++f->number);
		for (uint64_t op = 0; op < 2; op++) {
			stream_operator(&f->s, f->thread, us + 100 * op, types[op], types[op], f->number);
			stream_end(&f->s, f->thread, us + 100 * op + 100);
		}
		stream_text(&f->s, KEY_STATUS, "ok");
		stream_end(&f->s, f->lane, us + took_us);
	}
	analyse(f);
	return find(f, "moves_layout");
}

/* On a GPU an operator only starts work: half of its operators' time may be nothing of an inference. */
TEST(reordering_is_found_if_it_takes_a_fiftieth_of_an_inference)
{
	struct fixture fixture, *f = &fixture;

	assert_non_null(moves_of(f, 4900, 40));
	end(f);
	assert_null(moves_of(f, 5100, 40));
	end(f);
}

/* Medians of two inferences, besides the first, are what one preemption made of them. */
TEST(operators_of_two_inferences_make_no_advice)
{
	struct fixture fixture, *f = &fixture;

	for (int n = 1; n <= 5; n++) {
		assert_int_equal(moves_of(f, 1000, n) != NULL, n > 3);
		end(f);
	}
}

/*
 * 40 inferences of 2 ms, of which an operator takes 800 us; some of the rest lies before it, and some behind. Shapes
 * come again after so many.
 */
static void put_outside(struct fixture *f, uint64_t before_us, uint64_t last_us, int n_shapes)
{
	uint64_t us = 100;
	char shapes[32];

	for (int i = 0; i < 40; i++) {
		uint64_t end = us + (i < 39 ? 2000 : last_us);

		snprintf(shapes, sizeof shapes, "float[1x%d]", 8 + i % n_shapes);
		stream_text(&f->s, KEY_SHAPES, shapes);

		stream_int(&f->s, KEY_FIRST, !i);
		stream_inference(&f->s, f->lane, us, "m", 1, ++f->number);
		stream_begin(&f->s, f->lane, us, KIND_SETUP, "setup");
		stream_end(&f->s, f->lane, us += before_us);
		stream_operator(&f->s, f->thread, us, "conv", "Conv", f->number);
		stream_end(&f->s, f->thread, us + 800);
		stream_text(&f->s, KEY_STATUS, "ok");
		stream_end(&f->s, f->lane, us = end);
		us += 10;
	}
	analyse(f);
}

static const struct finding *outside_with(struct fixture *f, uint64_t before_us, uint64_t last_us)
{
	begin(f);
	put_outside(f, before_us, last_us, 1);
	return find(f, "unattributed");
}

TEST(openvino_prepares_operators_for_shapes_that_are_new)
{
	static const struct {
		const char *runtime;
		int n_shapes;
		bool is_said;
	} cases[] = { { "openvino", 40, true }, { "openvino", 5, false }, { "onnxruntime", 40, false } };
	struct fixture fixture, *f = &fixture;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		begin(f);
		stream_text(&f->s, KEY_RUNTIME, cases[i].runtime);
		stream_instant(&f->s, f->process, 2, KIND_NOTE, EVENT_NOTE_RUNTIME);
		put_outside(f, 600, 2000, cases[i].n_shapes);
		assert_true(cases[i].is_said == !!strstr(evidence(f, "unattributed"),
							 "; 40 of 40 have inputs of a shape that none before had"));
		end(f);
	}
}

TEST(time_in_no_operator_is_that_of_most_inferences)
{
	struct fixture fixture, *f = &fixture;
	const struct finding *found = outside_with(f, 1000, 60000);

	assert_true(found && found->low == 1200e3 && fabs(found->value - 0.6) < 1e-9);
	assert_non_null(strstr(evidence(f, "unattributed"), "60.0 % of its time, 1.20 ms each; most of that before"));
	end(f);
	found = outside_with(f, 10, 2000);
	assert_true(found && found->low == 1200e3);
	assert_non_null(strstr(evidence(f, "unattributed"), "1.20 ms each; most of that behind the last operator"));
	end(f);
	found = outside_with(f, 600, 2000); /* half before, half behind */
	assert_true(found && found->low == 1200e3);
	assert_null(strstr(evidence(f, "unattributed"), "most of that"));
	end(f);
}

TEST(operators_are_tiny_by_what_the_machine_takes_between_two)
{
	struct fixture fixture, *f = &fixture;
	const struct finding *found = tiny_operators_of(f, 8, 24 * 10, 24 * 10);

	assert_true(found && found->low == 10000);
	end(f);
	assert_null(tiny_operators_of(f, 8, 24 * 5, 24 * 5));
	end(f);
	assert_null(tiny_operators_of(f, 25, 24 * 30, 24 * 30)); /* 20 us at most */
	end(f);
}

#define CASE(name) TEST_OF(name, struct fixture, f, begin(f), end(f))
#define CASE_ON(name, ...) TEST_OF(name, struct fixture, f, begin_on(f, __VA_ARGS__), end(f))

CASE(sessions_used_side_by_side_are_one_too_many)
{
	create(f, 100, 1, 20000, 0);
	create(f, 30000, 2, 20000, 0);
	run(f, &(struct series){ .session = 1, .at_us = 60000, .took_us = 1000, .every_us = 4000, .n = 20 });
	run(f,
	    &(struct series){
		.session = 2, .at_us = 62000, .took_us = 1000, .every_us = 4000, .n = 20, .is_on_other_lane = true });
	analyse(f);
	assert_int_equal(find(f, "loaded_twice")->a, 2);
	assert_true(find(f, "loaded_twice")->low == 20e6 && find(f, "loaded_twice")->gain_ns == 20e6 / 40);
	assert_null(find(f, "created_again"));
}

CASE(a_session_that_takes_the_place_of_another_is_not_beside_it)
{
	create(f, 100, 1, 20000, 0);
	run(f, &(struct series){ .session = 1, .at_us = 30000, .took_us = 1000, .n = 20 });
	create(f, 60000, 2, 20000, 0);
	run(f, &(struct series){ .session = 2, .at_us = 90000, .took_us = 1000, .n = 20 });
	analyse(f);
	assert_null(find(f, "loaded_twice"));
	assert_int_equal(find(f, "created_again")->a, 2);
	assert_true(find(f, "created_again")->gain_ns == 20e6 / 40);
}

TEST(specializing_again_is_found_from_two_sessions_on)
{
	struct fixture fixture, *f = &fixture;

	begin(f);
	create(f, 100, 1, 60000, 40000);
	create(f, 70000, 2, 60000, 40000);
	analyse(f);
	assert_true(find(f, "specialized_again")->low == 40e6 && find(f, "specialized_again")->a == 2);
	assert_null(find(f, "slow_phase")); /* says the same */
	end(f);
	begin(f);
	create(f, 100, 1, 60000, 40000);
	analyse(f);
	assert_null(find(f, "specialized_again"));
	assert_non_null(find(f, "slow_phase"));
	end(f);
	begin(f);
	create(f, 100, 1, 90000, 25000);
	create(f, 100000, 2, 90000, 25000);
	analyse(f);
	assert_null(find(f, "specialized_again"));
	end(f);
	begin(f); /* what all but one took counts: 12 ms, then 24 ms */
	create(f, 100, 1, 30000, 12000);
	create(f, 40000, 2, 30000, 12000);
	analyse(f);
	assert_null(find(f, "specialized_again"));
	end(f);
	begin(f);
	create(f, 100, 1, 30000, 12000);
	create(f, 40000, 2, 30000, 12000);
	create(f, 80000, 3, 30000, 12000);
	analyse(f);
	assert_true(find(f, "specialized_again")->low == 24e6);
	end(f);
}

TEST(a_creation_is_no_finding_in_a_recording_that_lasts)
{
	struct fixture fixture, *f = &fixture;

	begin(f); /* it is one in a short one: 40 ms of creation, by 20 inferences */
	create(f, 100, 1, 60000, 40000);
	run(f, &(struct series){ .session = 1, .at_us = 100000, .took_us = 1000, .n = 20 });
	analyse(f);
	assert_true(fabs(find(f, "slow_phase")->gain_ns - 2e6) < 1);
	end(f);
	begin(f);
	create(f, 100, 1, 60000, 40000);
	run(f, &(struct series){ .session = 1, .at_us = 100000, .took_us = 1000, .every_us = 100000, .n = 20 });
	analyse(f);
	assert_null(find(f, "slow_phase"));
	end(f);
}

TEST(time_in_no_operator_is_found_from_a_sixth_on)
{
	struct series series = { .session = 1, .at_us = 100, .took_us = 1000, .n = 20, .operator_us = 700 };
	struct fixture fixture, *f = &fixture;

	begin(f);
	run(f, &series);
	analyse(f);
	assert_true(fabs(find(f, "unattributed")->value - 0.3) < 1e-9 && find(f, "unattributed")->gain_ns == 300e3);
	end(f);
	series.operator_us = 900;
	begin(f);
	run(f, &series);
	analyse(f);
	assert_null(find(f, "unattributed"));
	end(f);
	series.operator_us = 0; /* nothing is known */
	begin(f);
	run(f, &series);
	analyse(f);
	assert_null(find(f, "unattributed"));
	end(f);
}

TEST(waits_for_cpus_that_the_process_itself_uses_are_its_own_fault)
{
	struct series series = {
		.session = 1, .at_us = 100, .took_us = 1000, .n = 40, .cpu_us = 600, .waited_us = 400
	};
	struct fixture fixture, *f = &fixture;
	const struct finding *found;

	begin_on(f, 4);
	run(f, &series);
	count(f, f->process, "cpu", "%", 190, 0);
	count(f, f->process, "threads", "count", 9, 0);
	count(f, f->process, "pool threads", "count", 2, 0);
	count(f, f->process, "cpus allowed", "count", 2, 0);
	analyse(f);
	found = find(f, "oversubscribed");
	assert_true(found && fabs(found->value - 0.4) < 1e-9 && found->a == 9 && found->b == 2);
	assert_true(found->high == 400e3 && fabs(found->low - 1.9) < 1e-9);
	assert_null(find(f, "waits_for_cpu"));
	end(f);
	begin_on(f, 4); /* the same, but others had the CPUs that its threads waited for */
	run(f, &series);
	count(f, f->process, "cpu", "%", 190, 0);
	count(f, f->process, "threads", "count", 9, 0);
	count(f, f->process, "pool threads", "count", 2, 0);
	count(f, f->process, "cpus allowed", "count", 2, 0);
	count(f, f->process, "waited for hog", "%", 80, 0);
	count(f, f->process, "waited for its own threads", "%", 20, 0);
	analyse(f);
	assert_null(find(f, "oversubscribed"));
	assert_non_null(find(f, "waits_for_cpu"));
	assert_null(strstr(evidence(f, "waits_for_cpu"), "nice"));
	end(f);
	begin_on(f, 4); /* and it lets them go first */
	run(f, &series);
	count(f, f->process, "cpu", "%", 60, 0);
	count(f, f->process, "nice", "count", 19, 0);
	analyse(f);
	assert_non_null(strstr(evidence(f, "waits_for_cpu"), "; it runs at nice 19, so that programs at 0 go first"));
	end(f);
	begin_on(f, 4);
	run(f, &series); /* its pool is not known, others have the rest of the CPUs, but its own threads had most */
	count(f, f->process, "cpu", "%", 140, 0);
	count(f, f->process, "threads", "count", 9, 0);
	count(f, f->process, "cpus allowed", "count", 2, 0);
	count(f, f->process, "waited for hog", "%", 34, 0);
	count(f, f->process, "waited for its own threads", "%", 66, 0);
	analyse(f);
	assert_non_null(find(f, "oversubscribed"));
	assert_null(find(f, "waits_for_cpu"));
	end(f);
	begin_on(f, 4);
	run(f, &series); /* a thread alone */
	count(f, f->process, "cpu", "%", 190, 0);
	count(f, f->process, "cpus allowed", "count", 2, 0);
	analyse(f);
	assert_null(find(f, "oversubscribed"));
	end(f);
	begin_on(f, 4);
	run(f, &series);
	count(f, f->process, "pool threads", "count", 2, 0);
	count(f, f->process, "cpu", "%", 60, 0);
	count(f, f->process, "cpus allowed", "count", 2, 0);
	analyse(f);
	assert_null(find(f, "oversubscribed"));
	assert_non_null(find(f, "waits_for_cpu"));
	end(f);
}

/* Those of all its processes, as in the head of the report. */
CASE_ON(cpus_of_the_program_and_of_others_add_up, 2)
{
	struct series series = {
		.session = 1, .at_us = 100, .took_us = 1000, .n = 40, .cpu_us = 600, .waited_us = 400
	};

	run(f, &series);
	count(f, 0, "cpu", "%", 90, 0);
	count(f, f->process, "cpu", "%", 60, 0);
	count(f, stream_process(&f->s, 9, "tool"), "cpu", "%", 20, 0);
	analyse(f);
	assert_non_null(
	    strstr(evidence(f, "waits_for_cpu"), "the program used 0.80 CPUs while inferences ran, others 1"));
	assert_non_null(strstr(advice(f, "waits_for_cpu"), "fewer threads"));
}

/* Two processes run one at a time on 2 CPUs, with a pool thread each; ran: who had the CPUs that they waited for. */
static const struct finding *find_of_both(struct fixture *f, const char *name, const char *ran, struct series series,
					  uint64_t after_us)
{
	struct summary_file file = { 0 };
	uint32_t other, lane = 0;

	begin_on(f, 2);
	other = stream_process(&f->s, 9, "app");
	for (int i = 0; i < 2; i++) {
		lane = i ? stream_lane(&f->s, other, "m") : f->lane;
		f->lane = lane;
		run(f, &series);
		series.at_us += after_us;
		count(f, i ? other : f->process, "cpu", "%", 60, 0);
		count(f, i ? other : f->process, "pool threads", "count", 1, 0);
		count(f, i ? other : f->process, ran, "%", 30, 0);
	}
	f->summary = stream_summary(&f->s, &file);
	assert_int_equal(recorded_init(&f->recorded, f->summary, NULL), 0);
	return find(f, name);
}

static const struct finding *find_of_two(struct fixture *f, const char *name, const char *ran, uint64_t after_us)
{
	struct series series = {
		.session = 1, .at_us = 100, .took_us = 1000, .n = 40, .cpu_us = 600, .waited_us = 400
	};

	return find_of_both(f, name, ran, series, after_us);
}

/* Of short inferences with long pauses a sampler sees little; each of them knows what its thread used. */
CASE_ON(a_program_used_what_its_inferences_did_at_least, 2)
{
	struct series series = {
		.session = 1, .at_us = 100, .took_us = 1000, .every_us = 20000, .n = 40, .cpu_us = 600, .waited_us = 400
	};

	run(f, &series);
	count(f, 0, "cpu", "%", 90, 0);
	count(f, f->process, "cpu", "%", 4, 0);
	analyse(f);
	assert_non_null(
	    strstr(evidence(f, "waits_for_cpu"), "the program used 0.60 CPUs while inferences ran, others 1.20"));
	/* others have them, whatever it does */
	assert_non_null(strstr(advice(f, "waits_for_cpu"), "a machine that is less busy, or"));
	assert_null(strstr(advice(f, "waits_for_cpu"), "fewer threads"));
}

/* While the program started, its processes had the CPUs; while inferences ran, others did. */
CASE_ON(who_had_the_cpus_counts_while_inferences_ran, 2)
{
	struct series series = {
		.session = 1, .at_us = 20100, .took_us = 1000, .n = 20, .cpu_us = 600, .waited_us = 400
	};
	uint32_t own, others;

	run(f, &series);
	own = stream_counter(&f->s, f->process, "waited for its own processes", "%");
	others = stream_counter(&f->s, f->process, "waited for hog", "%");
	for (uint64_t i = 0; i < 40; i++) {
		stream_sample(&f->s, own, 1000 + i * 1000, i < 20 ? 200 : 5);
		stream_sample(&f->s, others, 1000 + i * 1000, i < 20 ? 0 : 40);
	}
	count(f, f->process, "threads", "count", 9, 0);
	count(f, f->process, "cpus allowed", "count", 2, 0);
	analyse(f);
	assert_null(find(f, "oversubscribed"));
	assert_non_null(find(f, "waits_for_cpu"));
}

/* Each begins an inference every 2 ms, the second process after that time. */
static const struct finding *find_of_turns(struct fixture *f, const char *name, uint64_t after_us)
{
	struct series series = {
		.session = 1, .at_us = 100, .took_us = 1000, .every_us = 2000, .n = 40, .cpu_us = 600, .waited_us = 400
	};

	return find_of_both(f, name, "waited for its own processes", series, after_us);
}

TEST(waits_for_cpus_that_other_processes_of_the_program_use_are_its_own_fault)
{
	struct fixture fixture, *f = &fixture;
	const struct finding *found = find_of_two(f, "oversubscribed", "waited for its own processes", 0);

	assert_true(found && found->a == 4 && found->b == 2);
	assert_null(find(f, "waits_for_cpu"));
	assert_non_null(strstr(evidence(f, "oversubscribed"), "on 2 CPUs, of which they use 1.20 with 4 threads"));
	end(f);
	/* others had the CPUs */
	assert_null(find_of_two(f, "oversubscribed", "waited for hog", 0));
	assert_non_null(find(f, "waits_for_cpu"));
	end(f);
	/* one follows the other */
	assert_null(find_of_two(f, "oversubscribed", "waited for its own processes", 100000));
	end(f);
}

/* A parent that waits for its child, and the child for it: their threads never work beside each other. */
TEST(processes_that_take_turns_have_no_threads_beside_each_other)
{
	struct fixture fixture, *f = &fixture;

	assert_null(find_of_turns(f, "oversubscribed", 1000));
	assert_non_null(find(f, "waits_for_cpu"));
	end(f);
	assert_non_null(find_of_turns(f, "oversubscribed", 500));
	end(f);
}

/* A pool's threads have no work while another session's inference runs. */
TEST(a_pool_can_work_for_inferences_of_its_session_alone)
{
	struct fixture fixture, *f = &fixture;

	for (int n_sessions = 1; n_sessions <= 20; n_sessions += 19) {
		begin(f);
		for (int i = 0; i < n_sessions; i++) {
			struct series series = { .session = i + 1,
						 .at_us = 1000 + (uint64_t)i * 1900,
						 .took_us = 900,
						 .n = 40 / n_sessions };

			stream_int(&f->s, KEY_SESSION, i + 1);
			stream_begin(&f->s, f->lane, (uint64_t)i * 40 + 1, KIND_SESSION, "m");
			stream_int(&f->s, KEY_POOL_THREADS, 1);
			stream_end(&f->s, f->lane, (uint64_t)i * 40 + 30);
			run(f, &series);
		}
		count(f, f->process, "pool threads", "count", n_sessions, 0);
		count(f, f->process, "cpu of pool threads", "%", 150, 0);
		analyse(f);
		assert_true(find(f, "spinning") && find(f, "spinning")->value > 0.5);
		end(f);
	}
}

TEST(pool_threads_spin_if_they_use_more_than_inferences_last)
{
	struct series series = { .session = 1, .at_us = 500, .took_us = 200, .every_us = 1000, .n = 39 };
	struct fixture fixture, *f = &fixture;

	for (int used_pct = 30; used_pct <= 90; used_pct += 60) {
		begin(f);
		run(f, &series);
		count(f, f->process, "pool threads", "count", 2, 0);
		count(f, f->process, "cpu of pool threads", "%", used_pct, 0);
		analyse(f);
		assert_int_equal(find(f, "spinning") != NULL, used_pct == 90);
		if (used_pct == 90)
			assert_true(fabs(find(f, "spinning")->value - 0.5) < 0.02);
		end(f);
	}
	begin(f); /* they may have worked all the time */
	series.took_us = 1000;
	run(f, &series);
	count(f, f->process, "pool threads", "count", 2, 0);
	count(f, f->process, "cpu of pool threads", "%", 190, 0);
	analyse(f);
	assert_null(find(f, "spinning"));
	end(f);
}

TEST(subnormal_numbers_are_found_if_inferences_with_them_are_slower)
{
	struct series without = { .session = 1, .at_us = 100, .took_us = 1000, .n = 20 };
	struct series with = { .session = 1, .at_us = 50000, .took_us = 3000, .n = 10, .is_subnormal = true };
	struct fixture fixture, *f = &fixture;
	const struct finding *found;

	begin(f);
	run(f, &without);
	run(f, &with);
	analyse(f);
	found = find(f, "subnormals");
	assert_true(found && found->a == 10 && found->b == 20 && found->value == 3);
	assert_true(found->low == 3e6 && found->high == 1e6);
	end(f);
	with.took_us = 1100; /* a few of them cost nothing to speak of */
	begin(f);
	run(f, &without);
	run(f, &with);
	analyse(f);
	assert_null(find(f, "subnormals"));
	end(f);
	with.took_us = 3000;
	begin(f); /* all have them: what they cost is not known */
	run(f, &with);
	analyse(f);
	assert_null(find(f, "subnormals"));
	end(f);
}

/* The backward pass that so many inferences of session 1 go into. */
static void train(struct fixture *f, uint64_t at_us, int64_t n)
{
	stream_int(&f->s, KEY_SESSION, 1);
	stream_int(&f->s, KEY_COUNT, n);
	stream_begin(&f->s, f->thread, at_us, KIND_STAGE, "backward");
	stream_end(&f->s, f->thread, at_us + 50);
}

TEST(gradients_are_found_if_no_backward_pass_follows)
{
	struct series series = {
		.session = 1, .at_us = 100, .took_us = 1000, .n = 20, .has_gradients = true, .is_training_mode = true
	};
	struct fixture fixture, *f = &fixture;
	const struct summary_training *training;
	const struct finding *found;

	begin(f);
	run(f, &series);
	analyse(f);
	found = find(f, "gradients");
	assert_true(found && found->a == 20 && found->b == 20 && found->value == 1);
	found = find(f, "training_mode");
	assert_true(found && found->a == 20 && found->b == 20);
	end(f);
	begin(f);
	run(f, &series);
	for (uint64_t i = 0; i < 10; i++)
		train(f, 2200 + 2000 * i, 2);
	analyse(f);
	training = &f->summary->models[0].training;
	assert_true(training->n_runs == 20 && training->n_passes == 10 && training->passes_ns == 500000);
	assert_null(find(f, "gradients"));
	assert_null(find(f, "training_mode"));
	end(f);
}

/* What was compiled in the inference that begins then; reason NULL: for the first time. */
static void compile(struct fixture *f, uint64_t at_us, uint64_t us, const char *reason)
{
	stream_begin(&f->s, f->lane, at_us, KIND_SPECIALIZE, "torch.compile f (m.py)");
	/* one inside is a part of it */
	stream_begin(&f->s, f->lane, at_us + 1, KIND_SPECIALIZE, "torch.compile g (m.py)");
	stream_end(&f->s, f->lane, at_us + 2);
	if (reason)
		stream_text(&f->s, KEY_TEXT, reason);
	stream_text(&f->s, KEY_STATUS, "ok");
	stream_end(&f->s, f->lane, at_us + us);
}

/* Inferences of 100 ms each, in which it compiles for so long. */
static void compile_in_each(struct fixture *f, int n, uint64_t us, const char *reason)
{
	for (int i = 0; i < n; i++) {
		uint64_t at_us = 100 + (uint64_t)i * 200000;

		stream_inference(&f->s, f->lane, at_us, "m", 1, i + 1);
		if (i < 3)
			compile(f, at_us + 10, us, i ? reason : NULL);
		stream_text(&f->s, KEY_STATUS, "ok");
		stream_end(&f->s, f->lane, at_us + 100000);
	}
}

TEST(what_is_compiled_again_is_found_with_its_reason)
{
	static const char reason[] = "0/0: tensor 'x' size mismatch at index 0";
	struct fixture fixture, *f = &fixture;
	const struct summary_compiling *compiling;
	const struct finding *found;

	begin(f);
	compile_in_each(f, 10, 90000, reason);
	analyse(f);
	compiling = &f->summary->models[0].compiling;
	assert_true(compiling->n == 3 && compiling->n_again == 2 && !compiling->n_failed);
	assert_true(compiling->ns == 270000000 && compiling->again_ns == 180000000);
	found = find(f, "compiles_again");
	assert_true(found && found->a == 2 && found->b == 3 && found->low == 180e6);
	assert_string_equal(found->text, reason);
	end(f);
	/* only in the first inference, as of another object of a class that was compiled before */
	begin(f);
	stream_int(&f->s, KEY_FIRST, 1);
	stream_inference(&f->s, f->lane, 100, "m", 1, 1);
	compile(f, 110, 90000, reason);
	stream_text(&f->s, KEY_STATUS, "ok");
	stream_end(&f->s, f->lane, 100100);
	analyse(f);
	assert_true(f->summary->models[0].compiling.n == 1 && !f->summary->models[0].compiling.n_again);
	assert_null(find(f, "compiles_again"));
	end(f);
	/* for the first time, or hardly at all */
	begin(f);
	compile_in_each(f, 10, 90000, NULL);
	analyse(f);
	assert_int_equal(f->summary->models[0].compiling.n, 3);
	assert_null(find(f, "compiles_again"));
	end(f);
	begin(f);
	compile_in_each(f, 10, 9000, reason);
	analyse(f);
	assert_null(find(f, "compiles_again"));
	end(f);
}

TEST(a_model_is_warm_when_it_compiles_no_more)
{
	struct fixture fixture, *f = &fixture;
	uint64_t us = 100;

	begin(f);
	for (int i = 0; i < 20; i++) {
		uint64_t took_us = i < 2 ? 80000 : 1000;

		stream_int(&f->s, KEY_FIRST, !i);
		stream_inference(&f->s, f->lane, us, "m", 1, i + 1);
		if (i < 2)
			compile(f, us + 10, 30000, NULL);
		stream_text(&f->s, KEY_STATUS, "ok");
		stream_end(&f->s, f->lane, us += took_us);
		us += 100;
	}
	analyse(f);
	assert_non_null(find(f, "slow_first"));
	assert_non_null(strstr(evidence(f, "slow_first"), "compiled 2 times while inferences ran, for 60.0 ms in all"));
	end(f);
}

TEST(memory_grows_if_it_does_while_inferences_run)
{
	struct series series = { .session = 1, .at_us = 500, .took_us = 1000, .n = 40 };
	struct fixture fixture, *f = &fixture;

	begin(f);
	run(f, &series);
	count(f, f->process, "malloc free", "bytes", 1.39e8 / 2, 0);
	count(f, f->process, "rss", "bytes", 1e8, 1e6);
	analyse(f);
	assert_true(fabs(find(f, "memory_grows")->high - 0.5) < 1e-9);
	assert_true(fabs(find(f, "memory_grows")->value - 1e9) < 1e3);
	assert_true(fabs(find(f, "memory_grows")->low - 1e6) < 1e3);
	end(f);
	series.at_us = 41500; /* when it has grown */
	begin(f);
	run(f, &series);
	count(f, f->process, "rss", "bytes", 1e8, 1e6);
	analyse(f);
	assert_null(find(f, "memory_grows"));
	end(f);
	series.at_us = 500;
	begin(f);
	run(f, &series);
	count(f, f->process, "rss", "bytes", 1e8, 0);
	analyse(f);
	assert_null(find(f, "memory_grows"));
	end(f);
}

CASE(what_one_inference_takes_while_it_runs_is_no_growth)
{
	const struct series alike = { .session = 1, .at_us = 100, .took_us = 100, .n = 30 },
			    large = { .session = 1, .at_us = 10500, .took_us = 35000, .n = 1 };
	uint32_t rss;

	run(f, &alike);
	run(f, &large);
	rss = stream_counter(&f->s, f->process, "rss", "bytes");
	for (int ms = 1; ms <= 40; ms++)
		stream_sample(&f->s, rss, (uint64_t)ms * 1000, ms < 11 ? 1e8 : 1e7 * ms);
	analyse(f);
	assert_null(find(f, "memory_grows"));
	assert_true(isnan(f->summary->resources[0].growth_per_s));
}

TEST(malloc_keeps_memory_if_a_quarter_of_what_is_resident_is_free)
{
	const struct series series = { .session = 1, .at_us = 500, .took_us = 1000, .n = 40 };
	struct fixture fixture, *f = &fixture;

	begin(f);
	count(f, f->process, "malloc in use", "bytes", 1e7, 0);
	count(f, f->process, "malloc free", "bytes", 8e7, 0);
	run(f, &series);
	count(f, f->process, "rss", "bytes", 2e8, 0);
	analyse(f);
	assert_true(find(f, "heap_kept")->value == 8e7);
	assert_true(find(f, "heap_kept")->low == 2e8);
	assert_true(find(f, "heap_kept")->high == 1e7);
	end(f);
	begin(f);
	count(f, f->process, "malloc free", "bytes", 8e7, 0);
	run(f, &series);
	count(f, f->process, "rss", "bytes", 4e8, 0);
	analyse(f);
	assert_null(find(f, "heap_kept"));
	end(f);
}

TEST(a_session_waits_for_another_if_it_is_blocked_longer_beside_it)
{
	struct series alone = { .session = 1, .at_us = 100, .took_us = 1000, .n = 10, .cpu_us = 900 };
	struct series beside = { .session = 1, .at_us = 20000, .took_us = 2000, .n = 10, .cpu_us = 900 };
	struct series other = { .session = 2, .at_us = 20500, .took_us = 2000, .n = 10, .is_on_other_lane = true };
	struct fixture fixture, *f = &fixture;
	const struct finding *found;

	begin(f);
	run(f, &alone);
	run(f, &beside);
	run(f, &other);
	analyse(f);
	found = find(f, "waits_for_session");
	assert_true(found && found->a == 10 && found->b == 10);
	assert_true(found->low == 1100e3 && found->high == 100e3 && fabs(found->value - 0.5) < 1e-9);
	end(f);
	other.session = 1; /* of the same session */
	begin(f);
	run(f, &alone);
	run(f, &beside);
	run(f, &other);
	analyse(f);
	assert_null(find(f, "waits_for_session"));
	end(f);
	other.session = 2;
	beside.cpu_us = 1900; /* it computes longer, and is not blocked */
	begin(f);
	run(f, &alone);
	run(f, &beside);
	run(f, &other);
	analyse(f);
	assert_null(find(f, "waits_for_session"));
	end(f);
}

TEST(a_batch_is_small_if_an_item_takes_less_in_a_larger_one)
{
	struct series small = { .session = 1, .at_us = 100, .took_us = 1000, .n = 20, .batch = 1 };
	struct series large = { .session = 1, .at_us = 30000, .took_us = 4000, .n = 10, .batch = 8 };
	struct fixture fixture, *f = &fixture;
	const struct finding *found;

	begin(f);
	run(f, &small);
	run(f, &large);
	analyse(f);
	found = find(f, "small_batch");
	assert_true(found && found->a == 1 && found->b == 8 && found->value == 2 && found->low == 1e6);
	assert_true(found->high == 500e3 && found->gain_ns == 500e3);
	end(f);
	large.took_us = 7000;
	begin(f);
	run(f, &small);
	run(f, &large);
	analyse(f);
	assert_null(find(f, "small_batch"));
	end(f);
}

TEST(one_caller_beside_idle_cpus_must_be_busy_all_the_time)
{
	struct series series = { .session = 1, .at_us = 100, .took_us = 1000, .n = 40 };
	struct fixture fixture, *f = &fixture;

	begin_on(f, 4);
	run(f, &series);
	count(f, f->process, "cpu", "%", 100, 0);
	analyse(f);
	assert_true(fabs(find(f, "idle_cores")->value - 1) < 1e-9 && find(f, "idle_cores")->b == 4);
	end(f);
	series.every_us = 3000; /* it rests */
	begin_on(f, 4);
	run(f, &series);
	count(f, f->process, "cpu", "%", 100, 0);
	analyse(f);
	assert_null(find(f, "idle_cores"));
	end(f);
	series.every_us = 0;
	begin_on(f, 4);
	run(f, &series);
	count(f, f->process, "cpu", "%", 100, 0);
	count(f, f->process, "cpus allowed", "count", 1, 0); /* by taskset, say */
	analyse(f);
	assert_null(find(f, "idle_cores"));
	end(f);
	begin(f); /* how many CPUs there are is not known */
	run(f, &series);
	count(f, f->process, "cpu", "%", 100, 0);
	analyse(f);
	assert_null(find(f, "idle_cores"));
	end(f);
}

/* Nodes a, b ... run on the providers that the letters name. */
static void run_on(struct fixture *f, const char *providers)
{
	for (int i = 0; i < 20; i++) {
		uint64_t us = 100 + (uint64_t)i * 1000;

		stream_inference(&f->s, f->lane, us, "m", 1, ++f->number);
		for (const char *at = providers; *at; at++, us += 100) {
			char name[2] = { (char)('a' + (at - providers)), 0 };

			stream_text(&f->s, KEY_OP_TYPE, "Conv");
			stream_text(&f->s, KEY_PROVIDER, *at == 'C' ? "CPUExecutionProvider" : "CUDAExecutionProvider");
			stream_int(&f->s, KEY_INFERENCE, f->number);
			stream_begin(&f->s, f->thread, us, KIND_OPERATOR, name);
			stream_end(&f->s, f->thread, us + 100);
		}
		stream_text(&f->s, KEY_STATUS, "ok");
		stream_end(&f->s, f->lane, 1000 + (uint64_t)i * 1000);
	}
}

TEST(nodes_that_fell_back_are_named)
{
	struct fixture fixture, *f = &fixture;

	begin(f);
	asked(f, 1, "CUDAExecutionProvider{\"device_id\":\"0\"},CPUExecutionProvider");
	run_on(f, "GGCCCCC");
	analyse(f);
	assert_true(find(f, "partly_taken")->a == 2 && find(f, "partly_taken")->b == 7);
	assert_non_null(strstr(evidence(f, "partly_taken"), ": c (Conv), d (Conv), e (Conv) and 2 more"));
	assert_null(find(f, "idle_provider"));
	end(f);
	begin(f);
	asked(f, 1, "CUDAExecutionProvider,CPUExecutionProvider");
	run_on(f, "CC");
	analyse(f);
	assert_non_null(strstr(evidence(f, "idle_provider"), ": a (Conv), b (Conv)"));
	assert_null(find(f, "partly_taken"));
	end(f);
	begin(f);
	asked(f, 1, "CUDAExecutionProvider,CPUExecutionProvider");
	run_on(f, "GGGG");
	analyse(f);
	assert_null(find(f, "idle_provider"));
	assert_null(find(f, "partly_taken"));
	end(f);
	begin(f);
	asked(f, 1, "CPUExecutionProvider");
	run_on(f, "CC");
	analyse(f);
	assert_null(find(f, "idle_provider"));
	assert_null(find(f, "partly_taken"));
	end(f);
}

/* A provider that says it ran, one inference of it for so many seconds, and a device that is so busy. */
static void run_beside_device(struct fixture *f, double busy_pct, uint64_t n_s)
{
	struct track_def device = { .type = TRACK_GROUP };
	uint32_t counter;

	begin(f);
	device.name = stream_name(&f->s, "gpu card1: amdgpu");
	asked(f, 1, "CUDAExecutionProvider,CPUExecutionProvider");
	run_on(f, "GG");
	counter = stream_counter(&f->s, stream_track(&f->s, device), "gpu card1 busy", "%");
	stream_inference(&f->s, f->lane, 1000000, "m", 1, ++f->number);
	for (uint64_t i = 0; i <= 10 * n_s; i++)
		stream_sample(&f->s, counter, 1000000 + i * 100000, busy_pct);
	stream_text(&f->s, KEY_STATUS, "ok");
	stream_end(&f->s, f->lane, 1000000 + n_s * 1000000);
	analyse(f);
}

TEST(a_device_that_stays_idle_is_found)
{
	struct fixture fixture, *f = &fixture;

	run_beside_device(f, 0.2, 3);
	assert_true(fabs(find(f, "idle_device")->value - 0.2) < 1e-9);
	assert_string_equal(find(f, "idle_device")->text, "CUDAExecutionProvider");
	end(f);
	run_beside_device(f, 60, 3);
	assert_null(find(f, "idle_device"));
	end(f);
	run_beside_device(f, 0.2, 1); /* the driver's figure may not have it yet */
	assert_null(find(f, "idle_device"));
	end(f);
	begin(f); /* no device was seen: nothing is known */
	asked(f, 1, "CUDAExecutionProvider,CPUExecutionProvider");
	run_on(f, "GG");
	analyse(f);
	assert_null(find(f, "idle_device"));
	end(f);
}

TEST(a_few_slow_ones_of_a_few_are_no_finding)
{
	struct series series = { .session = 1, .at_us = 100, .took_us = 1000, .n = 9 };
	struct fixture fixture, *f = &fixture;

	for (; series.n <= 90; series.n += 81) {
		begin(f);
		run(f, &series);
		run(f, &(struct series){ .session = 1, .at_us = 200000, .took_us = 50000, .n = 3 });
		analyse(f);
		assert_int_equal(find(f, "uneven") != NULL, series.n == 90);
		end(f);
	}
}

/* Three of 93 take 49 ms longer: for what? */
TEST(what_most_slow_ones_have_in_common_is_named)
{
	static const struct {
		int64_t cpu_us, waited_us;
		const char *cause;
	} cases[] = { { 1000, 49000, "cpu_wait" }, { 20000, 30000, "cpu_wait" }, { 40000, 10000, NULL } };
	struct fixture fixture, *f = &fixture;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		begin_on(f, 4);
		run(f, &(struct series){ .session = 1, .at_us = 100, .took_us = 1000, .cpu_us = 1000, .n = 90 });
		run(f, &(struct series){ .session = 1,
					 .at_us = 200000,
					 .took_us = 50000,
					 .cpu_us = cases[i].cpu_us,
					 .waited_us = cases[i].waited_us,
					 .n = 3 });
		analyse(f);
		assert_non_null(find(f, "uneven"));
		if (cases[i].cause) {
			assert_string_equal(find(f, "uneven")->text, cases[i].cause);
			assert_true(fabs(find(f, "uneven")->low - 147e6) < 1);
			assert_true(fabs(find(f, "uneven")->high - 3000.0 * (double)cases[i].waited_us) < 1e4);
			assert_non_null(strstr(evidence(f, "uneven"), "of the 147 ms that the 3 slowest took longer"));
		} else {
			assert_null(find(f, "uneven")->text);
		}
		end(f);
	}
}
