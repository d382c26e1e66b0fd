// SPDX-License-Identifier: Apache-2.0
/* a of b operators take far longer than memory and arithmetic explain. value: their share of the operators' time. */
#include "analyze/insight/insight_in.h"

extern const struct insight insight_overhead_bound;

static void find(struct finder *finder)
{
	finder_find_bound(finder, &insight_overhead_bound, MODEL_BOUND_OVERHEAD, 0.2, 0);
}

static void say(const struct speaker *to)
{
	speaker_say_bound(to, "overhead", "spread the overhead: larger batches, fused operators");
	EVIDENCE(" take more than %.0f times the least time that this machine allows", 1 / MODEL_OVERHEAD);
}

const struct insight insight_overhead_bound = {
	.name = "overhead_bound",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "time_share", .a = "operators_bound", .b = "operators", .low = "reached_share" },
};
