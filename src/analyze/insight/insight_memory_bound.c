// SPDX-License-Identifier: Apache-2.0
/* a of b operators are bound by memory. value: their share of the operators' time; low: what they reach of the
 * possible. */
#include "analyze/insight/insight_in.h"

extern const struct insight insight_memory_bound;

static void find(struct finder *finder)
{
	finder_find_bound(finder, &insight_memory_bound, MODEL_BOUND_MEMORY, 0.5, 0.5);
}

static void say(const struct speaker *to)
{
	const struct machine_peak *peak = &to->analysis->report->machine.peak;

	speaker_say_bound(to, "memory-bound", "move fewer bytes: narrower types, fused operators");
	EVIDENCE(" at %s of what is possible; memory reaches %s", units_percent(to->finding->low).s,
		 units_metric(peak->bytes.high, "B/s").s);
	EVIDENCE(", caches %s", units_metric(peak->cache_bytes.high, "B/s").s);
}

const struct insight insight_memory_bound = {
	.name = "memory_bound",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "time_share", .a = "operators_bound", .b = "operators", .low = "reached_share" },
};
