// SPDX-License-Identifier: Apache-2.0
/* More threads are hardly faster. a threads are value times as fast as b. low, high: the interval of it. */
#include "analyze/insight/insight_in.h"

extern const struct insight insight_more_threads;

enum { LEAST_GAIN_PCT = 10 };

static int64_t value_of(const struct model_result *result)
{
	return result->n_threads;
}

/* Beside the run with the next smaller number; where the figures are sure of it. */
static void find(struct finder *finder)
{
	const struct model_run *base = finder_smaller(finder, MODEL_AXIS_THREADS, value_of);
	struct stats_ratio speed;
	struct finding *to;

	if (!base)
		return;
	speed = model_speed_of(base, finder->run);
	if (!speed.is_known || !(speed.high < 1 + LEAST_GAIN_PCT / 100.0))
		return;
	to = finder_add_counts(finder, &insight_more_threads, speed.value, value_of(finder->run->result),
			       value_of(base->result));
	to->low = speed.low;
	to->high = speed.high;
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
