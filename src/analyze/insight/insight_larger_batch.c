// SPDX-License-Identifier: Apache-2.0
/* A larger batch hardly gives more items in a second: value times as many with a as with b. low, high: the interval of
 * it. */
#include "analyze/insight/insight_in.h"

extern const struct insight insight_larger_batch;

enum { LEAST_GAIN_PCT = 10 };

static int64_t value_of(const struct model_result *result)
{
	return result->n_items;
}

/* Beside the run with the next smaller number; where the figures are sure of it. */
static void find(struct finder *finder)
{
	const struct model_run *base = finder_smaller(finder, MODEL_AXIS_BATCH, value_of);
	struct stats_ratio speed;
	struct finding *to;

	if (!base)
		return;
	speed = model_speed_of(base, finder->run);
	if (!speed.is_known || !(speed.high < 1 + LEAST_GAIN_PCT / 100.0))
		return;
	to = finder_add_counts(finder, &insight_larger_batch, speed.value, value_of(finder->run->result),
			       value_of(base->result));
	to->low = speed.low;
	to->high = speed.high;
}

static void say(const struct speaker *to)
{
	FINDING("a larger batch does not help");
	EVIDENCE("a batch of %s has %.2f times the items per second", units_count((uint64_t)to->finding->a).s,
		 to->finding->value);
	EVIDENCE(" of a batch of %s", units_count((uint64_t)to->finding->b).s);
	EVIDENCE(" (%.2f to %.2f)", to->finding->low, to->finding->high);
	NEXT("a batch of %s answers sooner", units_count((uint64_t)to->finding->b).s);
}

const struct insight insight_larger_batch = {
	.name = "larger_batch",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "speedup",
		     .low = "speedup_low",
		     .high = "speedup_high",
		     .a = "batch_size",
		     .b = "batch_size_compared" },
};
