// SPDX-License-Identifier: Apache-2.0
/* What did not end, and sessions that were created before a fork: sums, findings, sentences. */
#include <math.h>

#include "analyze/insight/recorded.h"
#include "analyze/result/open_words.h"
#include "cases.h"
#include "findings.h"
#include "show/words/time_words.h"
#include "stream.h"

struct fixture {
	struct stream s;
	struct summary *summary;
	struct recorded recorded;
	uint32_t parent, child, lane, lane_of_child, thread_of_child;
};

static void begin(struct fixture *f)
{
	*f = (struct fixture){ 0 };
	stream_init(&f->s);
	stream_text(&f->s, KEY_LEVEL, "operator");
	f->parent = stream_process(&f->s, 100, "app");
	f->child = stream_process(&f->s, 200, "app");
	f->lane = stream_lane(&f->s, f->parent, "m");
	f->lane_of_child = stream_lane(&f->s, f->child, "m");
	f->thread_of_child = stream_thread(&f->s, f->child, 201);
	stream_instant(&f->s, f->parent, 0, KIND_NOTE, EVENT_NOTE_RECORDING);
}

static void create(struct fixture *f, uint32_t lane, uint64_t at_us, int64_t number, int64_t n_pool)
{
	stream_int(&f->s, KEY_SESSION, number);
	stream_int(&f->s, KEY_POOL_THREADS, n_pool);
	stream_begin(&f->s, lane, at_us, KIND_SESSION, "m");
	stream_end(&f->s, lane, at_us + 5000);
}

static void run(struct fixture *f, uint32_t lane, uint64_t at_us, uint64_t took_us, int64_t number)
{
	stream_inference(&f->s, lane, at_us, "m", 1, number);
	if (!took_us)
		return;
	stream_int(&f->s, KEY_RUN_QUEUE_NS, 100000);
	stream_int(&f->s, KEY_THREAD_CPU_NS, 500000);
	stream_int(&f->s, KEY_FAULTS, 0);
	stream_text(&f->s, KEY_STATUS, "ok");
	stream_end(&f->s, lane, at_us + took_us);
}

static void forked(struct fixture *f)
{
	stream_int(&f->s, KEY_PID, 200);
	stream_int(&f->s, KEY_PARENT_PID, 100);
	stream_instant(&f->s, f->child, 50000, KIND_NOTE, EVENT_NOTE_FORKED);
}

static void analyse(struct fixture *f)
{
	struct summary_file file = { 0 };

	f->summary = stream_summary(&f->s, &file);
	assert_non_null(f->summary);
	assert_int_equal(recorded_init(&f->recorded, f->summary, NULL), 0);
}

/* Of the only model: it is the same in both processes. */
static const struct finding *find(const struct fixture *f, const char *name)
{
	assert_int_equal(f->recorded.n, 1);
	return findings_of(&f->recorded.model[0], name, 0);
}

static struct printable creator_of(const struct fixture *f, int32_t pid)
{
	for (uint32_t i = 0; i < f->summary->n_sessions; i++)
		if (f->summary->processes[f->summary->sessions[i].process].pid == pid)
			return open_creator(f->summary, &f->summary->sessions[i]);
	return (struct printable){ "no session" };
}

static void end(struct fixture *f)
{
	recorded_done(&f->recorded);
	summary_free(f->summary);
	stream_done(&f->s);
}

#define CASE(name) TEST_OF(name, struct fixture, f, begin(f), end(f))

CASE(a_session_of_the_parent_is_found_in_a_child)
{
	struct insight_words words;

	create(f, f->lane, 1000, 1, 3);
	for (int i = 0; i < 20; i++)
		run(f, f->lane, 10000 + (uint64_t)i * 1000, 900, i + 1);
	forked(f);
	for (int i = 0; i < 20; i++)
		run(f, f->lane_of_child, 60000 + (uint64_t)i * 3000, 2900, i + 1);
	analyse(f);
	assert_int_equal(find(f, "forked")->a, 100);
	assert_int_equal(find(f, "forked")->b, 3);
	assert_true(find(f, "forked")->low == 1e6);
	words = insight_words_of(f->recorded.model, find(f, "forked"), true);
	assert_string_equal(words.finding.s, "its session is used in a fork of the process that created it");
	assert_int_equal(strncmp(words.next.s, "create the session after the fork", 33), 0);
	assert_null(find(f, "idle_cores"));
	assert_string_equal(creator_of(f, 200).s, "created in 100, before the fork");
	assert_string_equal(creator_of(f, 100).s, "");
	assert_string_equal(open_words(f->summary, true).s, "");
}

CASE(a_session_that_the_child_made_is_its_own)
{
	create(f, f->lane, 1000, 1, 3);
	run(f, f->lane, 10000, 900, 1);
	forked(f);
	create(f, f->lane_of_child, 60000, 1, 3);
	run(f, f->lane_of_child, 70000, 900, 1);
	analyse(f);
	assert_null(find(f, "forked"));
}

CASE(without_a_fork_a_session_of_the_same_number_is_another)
{
	create(f, f->lane, 1000, 1, 3);
	run(f, f->lane, 10000, 900, 1);
	run(f, f->lane_of_child, 70000, 900, 1);
	analyse(f);
	assert_null(find(f, "forked"));
}

CASE(a_session_without_pool_threads_is_whole_in_a_child)
{
	create(f, f->lane, 1000, 1, 0);
	run(f, f->lane, 10000, 900, 1);
	forked(f);
	run(f, f->lane_of_child, 70000, 900, 1);
	analyse(f);
	assert_null(find(f, "forked"));
}

CASE(an_inference_that_never_ends_comes_first)
{
	const struct summary_time *time;

	create(f, f->lane, 1000, 1, 3);
	for (int i = 0; i < 10; i++)
		run(f, f->lane, 10000 + (uint64_t)i * 1000, 1000, i + 1);
	forked(f);
	stream_int(&f->s, KEY_TID, 201);
	run(f, f->lane_of_child, 60000, 0, 1);
	stream_operator(&f->s, f->thread_of_child, 60000, "conv", "Conv", 1);
	stream_end(&f->s, f->thread_of_child, 62000);
	stream_instant(&f->s, f->parent, 6060000, KIND_NOTE, "end");
	analyse(f);
	assert_int_equal(f->summary->n_open_rows, 1);
	assert_string_equal(open_words(f->summary, true).s,
			    "1 inference of m ran for 6.00 s and did not end (process 200, thread 201)");
	assert_true(find(f, "never_ended")->value == 6e9);
	assert_string_equal(find(f, "never_ended")->text, "conv");
	assert_true(find(f, "never_ended")->high == 2e6);
	/* 10 inferences waited 100 us each: 1 ms, and not a tenth of all */
	time = &f->summary->time;
	assert_int_equal(time->inferences_ns, 6010000000);
	assert_true(time->waiting_ns > 990000 && time->waiting_ns < 1010000);
}

/* A loop in the model: looking where the thread waits would find nothing. */
CASE(one_that_ran_operators_to_the_end_did_not_wait)
{
	const struct finding *found;

	for (int i = 0; i < 10; i++)
		run(f, f->lane_of_child, 10000 + (uint64_t)i * 1000, 1000, i + 1);
	run(f, f->lane_of_child, 60000, 0, 11);
	for (uint64_t at_us = 60000; at_us < 6050000; at_us += 10000) {
		stream_operator(&f->s, f->thread_of_child, at_us, "sin", "Sin", 11);
		stream_end(&f->s, f->thread_of_child, at_us + 9000);
	}
	stream_instant(&f->s, f->parent, 6060000, KIND_NOTE, "end");
	analyse(f);
	found = find(f, "never_ended");
	assert_true(found && found->value == 6e9 && found->high == 5989e6);
	assert_non_null(strstr(insight_words_of(f->recorded.model, found, true).next.s, "a loop in the model"));
}

CASE(one_that_the_end_of_a_recording_cuts_off_is_no_news)
{
	for (int i = 0; i < 10; i++)
		run(f, f->lane, 10000 + (uint64_t)i * 1000, 1000, i + 1);
	run(f, f->lane, 30000, 0, 11);
	stream_instant(&f->s, f->parent, 30900, KIND_NOTE, "end");
	analyse(f);
	assert_int_equal(f->summary->n_open_rows, 1);
	assert_string_equal(open_words(f->summary, true).s, "");
	assert_null(find(f, "never_ended"));
}

CASE(it_lasts_no_longer_than_its_process)
{
	run(f, f->lane_of_child, 10000, 0, 1);
	stream_sample(&f->s, stream_counter(&f->s, f->child, "rss", "bytes"), 500000, 1e6);
	stream_instant(&f->s, f->parent, 60000000, KIND_NOTE, "end");
	analyse(f);
	assert_int_equal(f->summary->open[0].end_ns - f->summary->open[0].begin_ns, 490000000);
}

/* A worker that hangs is killed: time goes on without it. */
TEST(time_of_what_never_ends_is_that_until_its_process_ended)
{
	for (int is_creation = 0; is_creation <= 1; is_creation++) {
		struct fixture fixture, *f = &fixture;

		begin(f);
		create(f, f->lane, 1000, 1, 3);
		run(f, f->lane, 10000, 1000, 1);
		if (is_creation)
			stream_begin(&f->s, f->lane_of_child, 60000, KIND_SESSION, "m");
		else
			run(f, f->lane_of_child, 60000, 0, 1);
		stream_int(&f->s, KEY_PID, 200);
		stream_int(&f->s, KEY_SIGNAL, 9);
		stream_instant(&f->s, f->parent, 2060000, KIND_NOTE, EVENT_NOTE_EXIT);
		stream_instant(&f->s, f->parent, 6060000, KIND_NOTE, "end");
		analyse(f);
		assert_int_equal(f->summary->open[0].end_ns - f->summary->open[0].begin_ns, 2000000000);
		assert_int_equal(f->summary->time.inferences_ns, is_creation ? 1000000 : 2001000000);
		assert_int_equal(f->summary->time.creating_ns, is_creation ? 2005000000 : 5000000);
		assert_true(is_creation || find(f, "never_ended")->value == 2e9);
		end(f);
	}
}

CASE(a_creation_that_never_ends_is_said)
{
	stream_int(&f->s, KEY_SESSION, 1);
	stream_begin(&f->s, f->lane, 1000, KIND_SESSION, "m");
	stream_instant(&f->s, f->parent, 4001000, KIND_NOTE, "end");
	analyse(f);
	assert_string_equal(open_words(f->summary, true).s,
			    "1 session creation of m ran for 4.00 s and did not end (process 100)");
}

static void note_release(struct fixture *f, const char *state)
{
	stream_int(&f->s, KEY_SESSION, 1);
	stream_int(&f->s, KEY_FROM_NS, 50000000);
	stream_text(&f->s, KEY_STATE, state);
	stream_int(&f->s, KEY_TID, 200);
	stream_instant(&f->s, f->child, 50000, KIND_NOTE, EVENT_NOTE_RELEASED);
}

TEST(a_release_in_a_fork_that_never_ends_is_said)
{
	struct fixture fixture, *f = &fixture;

	for (int ends = 0; ends <= 1; ends++) {
		begin(f);
		create(f, f->lane, 1000, 1, 3);
		run(f, f->lane, 10000, 900, 1);
		forked(f);
		note_release(f, EVENT_STATE_BEGUN);
		if (ends)
			note_release(f, EVENT_STATE_ENDED);
		stream_instant(&f->s, f->parent, 4050000, KIND_NOTE, "end");
		analyse(f);
		assert_int_equal(f->recorded.n, 1);
		assert_int_equal(f->summary->n_open_rows, !ends);
		assert_string_equal(open_words(f->summary, true).s,
				    ends ? "" : "1 session release of m ran for 4.00 s and did not end (process 200)");
		assert_int_equal(find(f, "forked") != NULL, !ends);
		if (!ends) {
			assert_true(find(f, "forked")->a == 100 && find(f, "forked")->b == 3);
			assert_string_equal(find(f, "forked")->text, "released");
		}
		assert_null(find(f, "never_ended"));
		end(f);
	}
}
