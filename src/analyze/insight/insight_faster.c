// SPDX-License-Identifier: Apache-2.0
/* This run is the fastest. value: how much faster than the first; low, high: the interval of it. */
#include "analyze/insight/insight_in.h"

/* Of all runs, if it is no accident that it is faster than the first. */
extern const struct insight insight_faster;

static void find(struct finder *finder)
{
	const struct model_run *runs = finder->analysis->runs;
	uint32_t best = 0;
	struct finding *to;

	for (uint32_t r = 1; r < finder->analysis->report->n_results; r++)
		if (runs[r].speed.is_different && runs[r].speed.value > (best ? runs[best].speed.value : 1))
			best = r;
	if (!best || best != finder->result)
		return;
	to = finder_add(finder, &insight_faster, runs[best].speed.value);
	to->low = runs[best].speed.low;
	to->high = runs[best].speed.high;
	to->gain_ns = runs[0].latency.mean_ns / runs[0].items - runs[best].latency.mean_ns / runs[best].items;
}

static bool agrees(const struct model_result *result)
{
	for (uint32_t i = 0; i < result->n_outputs; i++)
		if (!result->outputs[i].is_equal)
			return false;
	return true;
}

static void say(const struct speaker *to)
{
	if (model_rival(to->analysis, to->finding->result) == MODEL_NONE)
		FINDING("it is the fastest");
	else
		FINDING("it is faster than the first run");
	EVIDENCE("%.2f times as fast as %s", to->finding->value,
		 model_text(to->analysis->report->results[0].label, INSIGHT_NAME, to->is_ascii).s);
	if (to->finding->low > 1)
		EVIDENCE(" (%.2f to %.2f)", to->finding->low, to->finding->high);
	NEXT("%sit saves %s per %s", agrees(to->run->result) ? "" : "if its outputs are good enough, ",
	     units_duration(to->finding->gain_ns).s, to->analysis->is_per_item ? "item" : "inference");
}

const struct insight insight_faster = {
	.name = "faster",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "speedup", .low = "speedup_low", .high = "speedup_high" },
};
