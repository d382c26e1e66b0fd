// SPDX-License-Identifier: Apache-2.0
/* Much of an inference lies in no operator. value: its share; low: nanoseconds of each. */
#include "analyze/insight/insight_in.h"

extern const struct insight insight_unattributed, insight_tiny_operators;

enum { LEAST = 10 };

/* Below, it is the cost of starting operators, which tiny_operators is about, or of caches that a pause left cold. */
static const double least_ns = 250e3;

static void find(struct finder *finder)
{
	const struct model_result *result = finder->run->result;
	double each_ns = finder_per_inference(finder, result->unattributed_ns);
	double share = result->unattributed_ns / result->operators_wall_ns;

	if (!result->n_operators || result->n_operator_runs < LEAST || !(share >= 0.15) || !(each_ns >= least_ns) ||
	    model_is_deferred(result->operators[0].provider) || finder_has(finder, &insight_tiny_operators))
		return;
	finder_add(finder, &insight_unattributed, share)->low = each_ns;
	finder->to[finder->n - 1].gain_ns = each_ns;
}

static void say(const struct speaker *to)
{
	FINDING("much of an inference lies in no operator");
	EVIDENCE("%s of its time, %s each", units_percent(to->finding->value).s, units_duration(to->finding->low).s);
	NEXT(
	    "the runtime itself spends it: it takes or gives back memory (arena shrinkage), binds inputs, or waits for "
	    "a provider");
}

const struct insight insight_unattributed = {
	.name = "unattributed",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "outside_share", .low = "outside_ns" },
};
