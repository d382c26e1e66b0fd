// SPDX-License-Identifier: Apache-2.0
/* Where the time of a recording went: the parts add up, and the largest is named. */

#include "cases.h"
#include "first_sentence.h"
#include "show/words/time_words.h"
#include "stream.h"

struct fixture {
	struct stream s;
	uint32_t process, lane, creations;
	struct summary *summary;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);

	stream_init(&f->s);
	f->process = stream_process(&f->s, 100, "app");
	f->lane = stream_lane(&f->s, f->process, "m");
	f->creations = stream_lane(&f->s, f->process, "m");
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

static void create(struct fixture *f, uint64_t begin_us, uint64_t end_us, int64_t session)
{
	stream_int(&f->s, KEY_SESSION, session);
	stream_begin(&f->s, f->creations, begin_us, KIND_SESSION, "m");
	stream_end(&f->s, f->creations, end_us);
}

static void run(struct fixture *f, uint64_t begin_us, uint64_t end_us, int64_t number, bool is_first, int64_t waited_us)
{
	stream_int(&f->s, KEY_FIRST, is_first);
	stream_inference(&f->s, f->lane, begin_us, "m", 1, number);
	stream_int(&f->s, KEY_RUN_QUEUE_NS, waited_us * 1000);
	stream_text(&f->s, KEY_STATUS, "ok");
	stream_end(&f->s, f->lane, end_us);
}

/* The recording ends at that time. */
static const struct summary_time *summarise(struct fixture *f, uint64_t end_us)
{
	struct summary_file file = { 0 };
	const struct summary_time *time;

	stream_instant(&f->s, f->process, end_us, KIND_NOTE, EVENT_NOTE_COST);
	f->summary = stream_summary(&f->s, &file);
	assert_non_null(f->summary);
	time = &f->summary->time;
	assert_int_equal(time->wall_ns, end_us * 1000);
	assert_int_equal(time->wall_ns, time->inferences_ns + time->creating_ns + time->outside_ns);
	assert_true(time->first_ns + time->waiting_ns <= time->inferences_ns);
	return time;
}

static void says(const struct fixture *f, const char *text)
{
	assert_string_equal(time_cause(f->summary, true).s, text);
	assert_true(first_sentence_words(text) <= FIRST_SENTENCE_MOST);
}

#define CASE(name) TEST_FROM(name, struct fixture, f, setup, teardown)

CASE(most_of_it_lies_outside_of_models)
{
	const struct summary_time *time;

	create(f, 1000, 2000, 1);
	run(f, 3000, 4000, 1, true, 0);
	run(f, 5000, 6000, 2, false, 0);
	time = summarise(f, 10000);
	assert_int_equal(time->inferences_ns, 2000000);
	assert_int_equal(time->creating_ns, 1000000);
	assert_int_equal(time->first_ns, 1000000);
	says(f, "No model ran in 70.0 % of the 10.0 ms");
	assert_string_equal(time_sum(f->summary).s, "10.0 ms = inferences 2.00 ms (first ones 1.00 ms) + creating "
						    "sessions 1.00 ms + outside of models 7.00 ms");
}

/* Two at once count once, and what an inference covers is the inference's. */
CASE(sessions_are_created_most_of_the_time)
{
	uint32_t other = stream_lane(&f->s, f->process, "m");

	create(f, 1000, 5000, 1);
	stream_int(&f->s, KEY_SESSION, 2);
	stream_begin(&f->s, other, 4000, KIND_SESSION, "m");
	stream_end(&f->s, other, 8000);
	run(f, 7000, 9000, 1, true, 0);
	assert_int_equal(summarise(f, 10000)->creating_ns, 6000000);
	says(f, "Creating sessions took 60.0 % of the 10.0 ms (2 sessions)");
}

CASE(a_creation_that_was_cut_off_lasted_to_the_end)
{
	run(f, 1000, 2000, 1, false, 0);
	stream_int(&f->s, KEY_SESSION, 2);
	stream_begin(&f->s, f->creations, 4000, KIND_SESSION, "m");
	assert_int_equal(summarise(f, 10000)->creating_ns, 6000000);
}

CASE(gaps_are_counted_by_length_with_what_filled_them)
{
	const struct summary_gaps *gaps;

	run(f, 1000, 2000, 1, false, 0);
	run(f, 2005, 3000, 2, false, 0);
	create(f, 3100, 3400, 2);
	run(f, 3500, 4000, 3, false, 0);
	run(f, 24000, 25000, 4, false, 0);
	summarise(f, 30000);
	gaps = &f->summary->gaps;
	assert_int_equal(gaps->n, 3);
	assert_int_equal(gaps->total_ns, 20505000);
	assert_int_equal(gaps->creating_ns, 300000);
	assert_int_equal(gaps->kind[0].n, 1);
	assert_int_equal(gaps->kind[2].creating_ns, 300000);
	assert_int_equal(gaps->kind[4].total_ns, 20000000);
	assert_int_equal(gaps->longest[0].begin_ns, 4000000);
	assert_int_equal(gaps->longest[2].end_ns, 2005000);
	assert_int_equal(gaps->longest[3].end_ns, 0);
	assert_string_equal(time_gaps(f->summary).s,
			    "3 gaps between inferences, 20.5 ms in all; the longest 20.0 ms at 4.00 ms");
}

CASE(first_inferences_take_most)
{
	run(f, 0, 8000, 1, true, 0);
	run(f, 8000, 9000, 2, false, 0);
	assert_int_equal(summarise(f, 10000)->first_ns, 8000000);
	says(f, "First inferences of sessions took 80.0 % of the 10.0 ms");
}

CASE(inferences_wait_for_a_cpu_most_of_the_time)
{
	for (int i = 0; i < 9; i++)
		run(f, (uint64_t)i * 1000, (uint64_t)i * 1000 + 1000, i + 1, false, 700);
	assert_int_equal(summarise(f, 10000)->waiting_ns, 6300000);
	says(f, "Waiting for a CPU took 63.0 % of the 10.0 ms");
}

static void sample(struct fixture *f, uint32_t process, const char *name, double value)
{
	uint32_t track = stream_counter(&f->s, process, name, "%");

	stream_sample(&f->s, track, 500, value);
	stream_sample(&f->s, track, 9500, value);
}

CASE(who_had_the_cpu_is_named)
{
	for (int i = 0; i < 9; i++)
		run(f, (uint64_t)i * 1000, (uint64_t)i * 1000 + 1000, i + 1, false, 700);
	sample(f, 0, "cpu", 98);
	sample(f, f->process, "waited for hog", 60);
	sample(f, f->process, "waited for its own threads", 20);
	summarise(f, 10000);
	says(f, "Waiting for a CPU took 63.0 % of the 10.0 ms. The machine was 98.0 % busy while inferences ran; hog "
		"had it "
		"for 75.0 % of the waits");
}

/* Neither the operators nor the programs beside it are to blame. */
CASE(a_host_that_takes_the_cpus_is_named_first)
{
	for (int i = 0; i < 9; i++)
		run(f, (uint64_t)i * 1000, (uint64_t)i * 1000 + 1000, i + 1, false, 700);
	sample(f, f->process, "waited for hog", 60);
	sample(f, 0, "stolen", 35);
	summarise(f, 10000);
	says(f, "The host of this virtual machine took 35.0 % of its CPUs' time while inferences ran");
}

/* The waits of three of nine say nothing of the others. */
CASE(waits_of_a_few_are_no_cause)
{
	for (int i = 0; i < 9; i++) {
		stream_inference(&f->s, f->lane, (uint64_t)i * 1000, "m", 1, i + 1);
		if (i < 3)
			stream_int(&f->s, KEY_RUN_QUEUE_NS, 900000);
		stream_end(&f->s, f->lane, (uint64_t)i * 1000 + 1000);
	}
	assert_int_equal(summarise(f, 10000)->waiting_ns, 0);
	says(f, "Inferences of m took 90.0 % of the 10.0 ms");
}

CASE(inferences_themselves_take_most)
{
	create(f, 0, 1000, 1);
	for (int i = 1; i < 9; i++)
		run(f, (uint64_t)i * 1000, (uint64_t)i * 1000 + 1000, i, i == 1, 100);
	summarise(f, 10000);
	says(f, "Inferences of m took 80.0 % of the 10.0 ms");
}

CASE(of_a_part_of_a_recording_nothing_is_said)
{
	struct summary_file file = { 0 };

	run(f, 1000, 2000, 1, false, 0);
	f->summary = stream_summary_of(&f->s, &(struct summary_opts){ .from_ns = 1 }, &file);
	assert_int_equal(f->summary->time.wall_ns, 0);
	says(f, "");
	assert_string_equal(time_sum(f->summary).s, "");
}

static void create_on(struct fixture *f, uint64_t begin_us, uint64_t end_us, int64_t session, int64_t tid)
{
	stream_int(&f->s, KEY_TID, tid);
	create(f, begin_us, end_us, session);
}

static void run_on(struct fixture *f, uint64_t begin_us, uint64_t end_us, int64_t number, int64_t tid)
{
	stream_int(&f->s, KEY_TID, tid);
	run(f, begin_us, end_us, number, false, 0);
}

static const struct summary_caller *caller(const struct fixture *f, int64_t tid)
{
	for (uint32_t i = 0; i < f->summary->n_callers; i++)
		if (f->summary->callers[i].tid == tid)
			return &f->summary->callers[i];
	fail_msg("there is no thread %d", (int)tid);
	return NULL;
}

/* The first thread lives as long as its process; another one, as far as is seen, from its first call to its last. */
CASE(each_thread_has_a_sum_of_its_own)
{
	const struct summary_time *time;

	create_on(f, 1000, 2000, 1, 100);
	run_on(f, 3000, 4000, 1, 101);
	run_on(f, 5000, 6000, 2, 101);
	run_on(f, 6500, 7500, 3, 102);
	summarise(f, 10000);
	assert_int_equal(f->summary->n_callers, 3);
	time = &caller(f, 100)->time;
	assert_true(caller(f, 100)->is_main);
	assert_int_equal(time->wall_ns, 10000000);
	assert_int_equal(time->creating_ns, 1000000);
	assert_int_equal(time->outside_ns, 9000000);
	time = &caller(f, 101)->time;
	assert_int_equal(caller(f, 101)->begin_ns, 3000000);
	assert_int_equal(time->wall_ns, 3000000);
	assert_int_equal(time->inferences_ns, 2000000);
	assert_int_equal(time->outside_ns, 1000000);
	assert_int_equal(caller(f, 102)->time.outside_ns, 0);
}

CASE(threads_of_one_kind_are_told_together)
{
	struct printable line[TIME_CALLERS];

	create_on(f, 1000, 2000, 1, 100);
	run_on(f, 3000, 4000, 1, 101);
	run_on(f, 5000, 6000, 2, 101);
	run_on(f, 6000, 9000, 3, 102);
	summarise(f, 10000);
	assert_int_equal(time_callers(f->summary, true, line), 2);
	assert_string_equal(line[0].s, "2 threads of app, on average: 3.00 ms = inferences 2.50 ms + outside of models "
				       "500 us");
	assert_string_equal(line[1].s,
			    "first thread of app: 10.0 ms = creating sessions 1.00 ms + outside of models 9.00 ms");
}

CASE(of_one_thread_nothing_more_is_said)
{
	struct printable line[TIME_CALLERS];

	create_on(f, 1000, 2000, 1, 100);
	run_on(f, 3000, 4000, 1, 100);
	summarise(f, 10000);
	assert_int_equal(f->summary->n_callers, 1);
	assert_int_equal(time_callers(f->summary, true, line), 0);
}

/* In files of older versions creations have no thread: what another one did outside of models cannot be told. */
CASE(without_the_thread_of_a_creation_nothing_is_said_of_threads)
{
	create(f, 1000, 2000, 1);
	run_on(f, 3000, 4000, 1, 101);
	summarise(f, 10000);
	assert_int_equal(f->summary->n_callers, 0);
	assert_int_equal(f->summary->n_caller_kinds, 0);
}

/* More threads than are kept one by one: each counts, and the one that calls again is still the same. */
CASE(a_thread_for_each_request_takes_no_memory)
{
	enum { N = 20000 };

	run_on(f, 0, 1, 1, 100);
	for (uint64_t i = 1; i <= N; i++)
		run_on(f, 10 * i, 10 * i + 4, (int64_t)i + 1, 1000 + (int64_t)i);
	run_on(f, 10 * N + 10, 10 * N + 15, N + 2, 1000 + N);
	summarise(f, 10 * N + 20);
	assert_int_equal(f->summary->n_caller_kinds, 2);
	assert_int_equal(time_n_callers(f->summary), N + 1);
	assert_int_equal(f->summary->caller_kinds[0].n, N);
	assert_int_equal(f->summary->caller_kinds[0].n_inferences, N + 1);
	assert_int_equal(f->summary->caller_kinds[0].time.inferences_ns, 4000 * N + 5000);
	assert_int_equal(f->summary->caller_kinds[0].time.outside_ns, 6000);
	assert_int_equal(caller(f, 1000 + N)->n_inferences, 2);
	assert_true(f->summary->n_callers < 100);
}
