// SPDX-License-Identifier: Apache-2.0
/* A larger batch hardly gives more items in a second: a gives value times as many as b. low, high: its interval. */
#include "analyze/insight/insight_in.h"

extern const struct insight insight_larger_batch;

static int64_t value_of(const struct model_result *result)
{
	return result->n_items;
}

static void find(struct finder *finder)
{
	finder_find_no_gain(finder, &insight_larger_batch, MODEL_AXIS_BATCH, value_of);
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
