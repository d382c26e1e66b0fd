// SPDX-License-Identifier: Apache-2.0
/*
 * Inferences of a session wait for each other before they begin. Either several threads run them, never two at a time,
 * and those of the others fill what lies between two of a thread: chance does not do that. Or the runtime's pool runs
 * them, one at a time. a: threads that run them; value: share of the time between two of a thread that others fill, or,
 * of a pool, of the time in which one runs; low: nanoseconds between two of a thread; of a pool not known; text: the
 * program's line at which they wait for a lock.
 */
#include "analyze/insight/insight_in.h"

extern const struct insight insight_serialised, insight_requests_queue;

enum { LEAST = 20 };

static const double least_filled = 0.8, least_duty = 0.8, least_waiting = 0.5;

static bool is_of_pool(const struct summary_runs *runs)
{
	return runs->n_pooled * 10 >= runs->n * 9 || runs->queue.n * 10 >= runs->n * 9;
}

/* Where the queue is not known, one that is always busy has one. */
static bool has_queue(const struct summary_runs *runs, double duty)
{
	return runs->queue.n >= LEAST ? finder_is_behind(runs) : duty >= least_duty;
}

/* The line at which threads wait for most of what lies between two of their inferences; NULL: there is none. */
static const struct summary_lock *lock_of(const struct summary *summary, const struct summary_turns *turns)
{
	const struct summary_lock *most = NULL;

	for (uint32_t i = 0; summary && i < summary->n_locks; i++)
		if (summary->locks[i].has_more && (!most || summary->locks[i].ns > most->ns))
			most = &summary->locks[i];
	return most && (double)most->ns >= least_waiting * (double)turns->between_ns ? most : NULL;
}

static void find(struct finder *finder)
{
	const struct summary_lock *lock;
	struct finding *to;
	const struct recording_facts *facts = finder->run->result->recorded;
	const struct summary_runs *runs = finder->run->result->runs;
	const struct summary_turns *turns = facts ? &runs->turns : NULL;
	double filled;

	/* of a decoder, whole generations wait */
	if (!facts || runs->n < LEAST || turns->n_beside || finder_has(finder, &insight_requests_queue))
		return;
	if (is_of_pool(runs)) {
		if (facts->is_one_at_a_time && has_queue(runs, facts->duty))
			finder_add_counts(finder, &insight_serialised, facts->duty, runs->n_threads, -1);
		return;
	}
	filled = (double)turns->filled_ns / (double)turns->between_ns;
	if (runs->n_threads < 2 || turns->n < LEAST || !(filled >= least_filled))
		return;
	to = finder_add_counts(finder, &insight_serialised, filled, runs->n_threads, -1);
	to->low = (double)turns->between_ns / (double)turns->n;
	lock = lock_of(facts->summary, turns);
	if (lock)
		to->text = arena_keep(finder->analysis->arena, names_text(facts->summary->names, lock->place));
}

static void say_pool(const struct speaker *to)
{
	struct printable threads = printable_count((uint64_t)to->finding->a, "thread");
	const struct summary_spread *queue = &to->run->result->runs->queue;
	bool is_openvino = speaker_is_of_runtime(to, "openvino");

	FINDING("its inferences run one at a time in the runtime's pool");
	EVIDENCE("%s hands them to %s of the %s; one ran for %s of the time", is_openvino ? "start_async" : "RunAsync",
		 threads.s, is_openvino ? "model's streams" : "session", units_percent(to->finding->value).s);
	if (queue->n)
		EVIDENCE("; the median one waited %s in the pool's queue before",
			 units_duration((double)queue->p50_ns).s);
	if (to->finding->value < least_duty)
		EVIDENCE("; the callbacks of the program run in the same thread");
	if (is_openvino)
		NEXT("requests that arrive during an inference wait in the queue: more streams (NUM_STREAMS) run more "
		     "of them at a "
		     "time");
	else
		NEXT("requests that arrive during an inference wait in the pool's queue: more threads in the session "
		     "(intra_op_num_threads) run more of them at a time");
}

static void say(const struct speaker *to)
{
	struct printable threads = printable_count((uint64_t)to->finding->a, "thread");

	if (is_of_pool(to->run->result->runs)) {
		say_pool(to);
		return;
	}
	FINDING("several threads run its inferences, but one at a time");
	EVIDENCE("%s, never two at a time in a session", threads.s);
	EVIDENCE("; what lies between two of a thread, %s, those of the others fill for %s",
		 units_duration(to->finding->low).s, units_percent(to->finding->value).s);
	if (*to->text.s)
		EVIDENCE("; they wait for a lock in %s", to->text.s);
	if (speaker_is_of_runtime(to, "litert") || speaker_is_of_runtime(to, "llama.cpp"))
		NEXT("%s runs one at a time: with one for each thread they run beside each other",
		     speaker_is_of_runtime(to, "litert") ? "an interpreter" : "a context");
	else if (*to->text.s)
		NEXT("without the lock they run beside each other: the session can run inferences of several threads "
		     "at a "
		     "time");
	else
		NEXT("a lock of the program, or a queue that hands out one at a time, lies before the session, which "
		     "can run inferences of several threads at a time");
}

const struct insight insight_serialised = {
	.name = "serialised",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "filled_share", .a = "threads", .low = "between_ns", .text = "place" },
};
