// SPDX-License-Identifier: Apache-2.0
/* More threads are hardly faster. a threads are value times as fast as b. low, high: the interval of it. */
#include "analyze/insight/insight_in.h"

extern const struct insight insight_more_threads;

static int64_t value_of(const struct model_result *result)
{
	return result->n_threads;
}

static void find(struct finder *finder)
{
	finder_find_no_gain(finder, &insight_more_threads, MODEL_AXIS_THREADS, value_of);
}

static void say(const struct speaker *to)
{
	FINDING("more threads do not help");
	EVIDENCE("%s are %.2f times as fast", printable_count((uint64_t)to->finding->a, "thread").s,
		 to->finding->value);
	EVIDENCE(" as %s", units_count((uint64_t)to->finding->b).s);
	EVIDENCE(" (%.2f to %.2f)", to->finding->low, to->finding->high);
	NEXT("with %s the other CPUs are free for other work", printable_count((uint64_t)to->finding->b, "thread").s);
}

const struct insight insight_more_threads = {
	.name = "more_threads",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "speedup",
		     .low = "speedup_low",
		     .high = "speedup_high",
		     .a = "threads",
		     .b = "threads_compared" },
};
