// SPDX-License-Identifier: Apache-2.0
/* a of b operators take less than 5 us. value: share of the time outside of operators. */
#include "analyze/insight/insight_in.h"
#include "base/text/provider.h"

extern const struct insight insight_tiny_operators, insight_small_operators;

enum { LEAST = 20 };

static const double tiny_ns = 5000, least_share = 0.15;

/* A thread that lost its CPU makes no operator long. */
static double typical_ns(const struct model_operator *op)
{
	return op->p50_ns > 0 ? op->p50_ns : op->mean_ns;
}

static void find(struct finder *finder)
{
	const struct model_result *result = finder->run->result;
	double outside = result->unattributed_ns / result->operators_wall_ns;
	int64_t n_tiny = 0, n = result->n_operators;

	for (uint32_t i = 0; i < result->n_operators; i++)
		n_tiny += typical_ns(&result->operators[i]) < tiny_ns;
	if (finder_has(finder, &insight_small_operators))
		return;
	if (n >= LEAST && n_tiny * 2 > n && outside >= least_share &&
	    !provider_is_deferred(result->operators[0].provider) && finder_is_typically_outside(finder, least_share))
		finder_add_counts(finder, &insight_tiny_operators, outside, n_tiny, n)->gain_ns =
		    finder_per_inference(finder, result->unattributed_ns);
}

static void say(const struct speaker *to)
{
	FINDING("many tiny operators");
	EVIDENCE("%s take less than 5 us; %s of the time lies outside of operators", speaker_counts(to).s,
		 units_percent(to->finding->value).s);
	NEXT("a larger batch would share these %s per inference", units_duration(to->finding->gain_ns).s);
}

const struct insight insight_tiny_operators = {
	.name = "tiny_operators",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "outside_share", .a = "operators_tiny", .b = "operators" },
};
