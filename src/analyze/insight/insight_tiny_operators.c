// SPDX-License-Identifier: Apache-2.0
/*
 * a of b operators take less than `low` nanoseconds: 5 us, or as long as this machine takes between two operators.
 * value: share of the time outside of operators.
 */
#include "analyze/insight/insight_in.h"
#include "base/text/provider.h"

extern const struct insight insight_tiny_operators, insight_small_operators;

enum { LEAST = 20 };

static const double tiny_ns = 5000, most_tiny_ns = 20000, least_share = 0.15;

/* A thread that lost its CPU makes no operator long. */
static double typical_ns(const struct model_operator *op)
{
	return op->p50_ns > 0 ? op->p50_ns : op->mean_ns;
}

/* On a slow or busy machine, or one that is probed, all of it takes longer: operators, and what lies between them. */
static double limit_of(const struct finder *finder)
{
	const struct model_result *result = finder->run->result;
	double each_ns = finder_outside_ns(finder), n = 0;

	for (uint32_t i = 0; i < result->n_operators; i++)
		n += (double)result->operators[i].n / (double)result->n_operator_runs;
	if (!isfinite(each_ns))
		each_ns = finder_per_inference(finder, result->unattributed_ns);
	return fmin(fmax(each_ns / n, tiny_ns), most_tiny_ns);
}

static void find(struct finder *finder)
{
	const struct model_result *result = finder->run->result;
	double outside = result->unattributed_ns / result->operators_wall_ns, limit_ns;
	int64_t n_tiny = 0, n = result->n_operators;
	struct finding *to;

	limit_ns = n < LEAST ? NAN : limit_of(finder);
	for (uint32_t i = 0; i < result->n_operators; i++)
		n_tiny += typical_ns(&result->operators[i]) < limit_ns;
	if (finder_has(finder, &insight_small_operators) || !finder_has_medians(finder))
		return;
	if (n >= LEAST && n_tiny * 2 > n && outside >= least_share &&
	    !provider_is_deferred(result->operators[0].provider) && finder_is_typically_outside(finder, least_share)) {
		to = finder_add_counts(finder, &insight_tiny_operators, outside, n_tiny, n);
		to->gain_ns = finder_per_inference(finder, result->unattributed_ns);
		to->low = limit_ns;
	}
}

static void say(const struct speaker *to)
{
	FINDING("many tiny operators");
	EVIDENCE("%s take less than ", speaker_counts(to).s);
	if (to->finding->low > tiny_ns)
		EVIDENCE("%s", units_duration(to->finding->low).s);
	else
		EVIDENCE("5 %s", units_micro());
	EVIDENCE("; %s of the time lies outside of operators", units_percent(to->finding->value).s);
	NEXT("a larger batch would share these %s per %s", units_duration(to->finding->gain_ns).s, speaker_each(to));
}

const struct insight insight_tiny_operators = {
	.name = "tiny_operators",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "outside_share", .low = "limit_ns", .a = "operators_tiny", .b = "operators" },
};
