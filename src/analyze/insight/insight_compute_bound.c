// SPDX-License-Identifier: Apache-2.0
/* a of b operators are bound by arithmetic. value: their share of the operators' time; low: what they reach of the
 * possible. */
#include "analyze/insight/insight_in.h"

extern const struct insight insight_compute_bound;

static void find(struct finder *finder)
{
	finder_find_bound(finder, &insight_compute_bound, MODEL_BOUND_COMPUTE, 0.5, 0.5);
}

static void say(const struct speaker *to)
{
	speaker_say_bound(to, "compute-bound", "compute less: narrower types, a smaller model, more cores");
	EVIDENCE(" at %s of what is possible; this machine reaches %s in float32", units_percent(to->finding->low).s,
		 units_metric(to->analysis->report->machine.peak.flops.high, "FLOP/s").s);
}

const struct insight insight_compute_bound = {
	.name = "compute_bound",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "time_share", .a = "operators_bound", .b = "operators", .low = "reached_share" },
};
