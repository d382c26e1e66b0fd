// SPDX-License-Identifier: Apache-2.0
/* a threads on b CPUs. */
#include "analyze/insight/insight_in.h"

extern const struct insight insight_many_threads;

static void find(struct finder *finder)
{
	const struct model_result *result = finder->run->result;
	int64_t cpus = finder->analysis->report->machine.n_cpus;
	int64_t at_a_time = result->concurrency > 0 ? result->concurrency : 1;

	if (cpus >= 1 && result->n_threads > 0 && result->n_threads <= INT64_MAX / at_a_time &&
	    result->n_threads * at_a_time > cpus)
		finder_add_counts(finder, &insight_many_threads, NAN, result->n_threads * at_a_time, cpus);
}

static void say(const struct speaker *to)
{
	FINDING("more threads than CPUs");
	EVIDENCE("%s threads on %s", units_count((uint64_t)to->finding->a).s,
		 printable_count((uint64_t)to->finding->b, "CPU").s);
	NEXT("try %s in total", printable_count((uint64_t)to->finding->b, "thread").s);
}

const struct insight insight_many_threads = {
	.name = "many_threads",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .a = "threads", .b = "cpus" },
};
