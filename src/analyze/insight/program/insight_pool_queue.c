// SPDX-License-Identifier: Apache-2.0
/*
 * Asynchronous inferences (RunAsync, start_async) wait longer in the queue of the runtime's pool than they take,
 * although several run at a time. a: threads that run them; value: the queue's share of the time from the call to the
 * end; low: nanoseconds in the queue, of the median.
 */
#include "analyze/insight/insight_in.h"

extern const struct insight insight_pool_queue;

enum { LEAST = 20 };

static void find(struct finder *finder)
{
	const struct recording_facts *facts = finder->run->result->recorded;
	const struct summary_runs *runs = finder->run->result->runs;
	const struct summary_spread *queue = &runs->queue;

	/* one at a time: see insight_serialised.c */
	if (!facts || facts->is_one_at_a_time || queue->n < LEAST || runs->latency.n < LEAST || !finder_is_behind(runs))
		return;
	finder_add_counts(finder, &insight_pool_queue, queue->mean_ns / (queue->mean_ns + runs->latency.mean_ns),
			  runs->n_threads, -1)
	    ->low = (double)queue->p50_ns;
}

static void say(const struct speaker *to)
{
	const struct summary_runs *runs = to->run->result->runs;

	FINDING("its inferences wait in the queue of the runtime's pool");
	EVIDENCE("the median one waited %s there and then took %s", units_duration(to->finding->low).s,
		 units_duration((double)runs->latency.p50_ns).s);
	EVIDENCE("; %s of the pool run them", printable_count((uint64_t)to->finding->a, "thread").s);
	if (speaker_is_of_runtime(to, "openvino"))
		NEXT("more requests come at a time than streams run: several inputs in one batch, fewer requests at a "
		     "time, or more CPUs and streams (NUM_STREAMS)");
	else
		NEXT(
		    "more requests come at a time than the pool runs: several inputs in one batch, fewer requests at a "
		    "time, or more CPUs and threads (intra_op_num_threads)");
}

const struct insight insight_pool_queue = {
	.name = "pool_queue",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "queue_share", .a = "threads", .low = "queue_p50_ns" },
};
