// SPDX-License-Identifier: Apache-2.0
/* The operator that could gain most. text: its name; value: share of the possible that it reaches. */
#include <string.h>

#include "analyze/insight/insight_in.h"

/* What such an operator costs is starting what is inside of it, which no roof bounds. */
extern const struct insight insight_slow_operator;

static bool has_graphs_inside(const char *type)
{
	static const char *const types[] = { "If", "Loop", "Scan", "SequenceMap" };

	for (size_t i = 0; type && i < sizeof types / sizeof *types; i++)
		if (!strcmp(types[i], type))
			return true;
	return false;
}

static void find(struct finder *finder)
{
	const struct model_run *run = finder->run;
	const struct model_result *result = run->result;
	uint32_t best = MODEL_NONE;
	double most_ns = 0;
	struct finding *to;

	for (uint32_t i = 0; i < result->n_operators; i++) {
		const struct model_bound *bound = &run->bounds[i];
		double typical_ns = finder_typical_ns(&result->operators[i]), gain_ns = typical_ns * (1 - bound->share);

		if (bound->by == MODEL_BOUND_UNKNOWN || !(bound->share < 0.5) || !(gain_ns > most_ns) ||
		    typical_ns < 0.05 * run->bound_sums.total_ns || has_graphs_inside(result->operators[i].op_type))
			continue;
		most_ns = gain_ns;
		best = i;
	}
	if (best == MODEL_NONE || !finder_has_medians(finder))
		return;
	to = finder_add(finder, &insight_slow_operator, run->bounds[best].share);
	to->text = model_operator_name(finder->analysis, finder->result, best);
	to->gain_ns = finder_per_inference(finder, most_ns);
}

static void say(const struct speaker *to)
{
	FINDING("%s has the most room for improvement", to->text.s);
	EVIDENCE("it reaches %s of what the machine allows", units_percent(to->finding->value).s);
	NEXT("up to %s per %s could be saved", units_duration(to->finding->gain_ns).s, speaker_each(to));
}

const struct insight insight_slow_operator = {
	.name = "slow_operator",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "reached_share", .text = "operator" },
};
