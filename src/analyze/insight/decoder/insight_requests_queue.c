// SPDX-License-Identifier: Apache-2.0
/*
 * Several threads make generations of a model, never two at a time, and those of the others fill what lies between two
 * of a thread: chance does not do that. value: the share that they fill. low: nanoseconds between two of a thread. a:
 * threads. b: generations.
 */
#include "analyze/insight/insight_in.h"
#include "analyze/result/recording_facts.h"

extern const struct insight insight_requests_queue;

enum { LEAST = 8 };

static const double least_filled = 0.8;

static void find(struct finder *finder)
{
	const struct recording_facts *facts = finder->run->result->recorded;
	const struct summary_generations *of = facts ? &facts->model->generations : NULL;
	struct finding *to;

	if (!of || of->n_threads < 2 || of->n_gaps < LEAST || !of->between_ns ||
	    (double)of->filled_ns < least_filled * (double)of->between_ns)
		return;
	to = finder_add_counts(finder, &insight_requests_queue, (double)of->filled_ns / (double)of->between_ns,
			       of->n_threads, (int64_t)of->n);
	to->low = (double)of->between_ns / (double)of->n_gaps;
	to->gain_ns = (double)of->filled_ns / (double)(of->output_tokens ? of->output_tokens : 1);
}

static void say(const struct speaker *to)
{
	FINDING("several threads make its generations, but one at a time");
	EVIDENCE("%s of %s, never two at a time", printable_count((uint64_t)to->finding->b, "generation").s,
		 printable_count((uint64_t)to->finding->a, "thread").s);
	EVIDENCE("; what lies between two of a thread, %s, those of the others fill for %s",
		 units_duration(to->finding->low).s, units_percent(to->finding->value).s);
	NEXT("if requests wait until the model is free, one batch with a token of each serves them together: the first "
	     "token of each then waits for a step, not for whole generations");
}

const struct insight insight_requests_queue = {
	.name = "requests_queue",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "filled_share", .low = "between_ns", .a = "threads", .b = "generations" },
};
