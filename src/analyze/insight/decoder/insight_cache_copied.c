// SPDX-License-Identifier: Apache-2.0
/*
 * A decoder whose caches are inputs joins them with what is new, which copies them for each token. value: the share of
 * Concat of the operators' time, as medians have it. a: that many nodes.
 */
#include <string.h>

#include "analyze/insight/insight_in.h"
#include "analyze/result/recording_facts.h"

extern const struct insight insight_cache_copied;

static const double least_share = 0.1;

static void find(struct finder *finder)
{
	const struct model_result *result = finder->run->result;
	const struct summary_generations *of = result->recorded ? &result->recorded->model->generations : NULL;
	double joined_ns = 0, all_ns = 0;
	int64_t n = 0;

	if (!of || !of->n || !of->by_cache)
		return;
	for (uint32_t i = 0; i < result->n_operators; i++) {
		const struct model_operator *op = &result->operators[i];
		bool joins = op->op_type && !strcmp(op->op_type, "Concat");

		n += joins;
		all_ns += finder_typical_ns(op);
		joined_ns += joins ? finder_typical_ns(op) : 0;
	}
	if (n && finder_has_medians(finder) && joined_ns >= least_share * all_ns)
		finder_add_counts(finder, &insight_cache_copied, joined_ns / all_ns, n, -1)->gain_ns =
		    finder_per_inference(finder, joined_ns);
}

static void say(const struct speaker *to)
{
	FINDING("the cache is copied for each token");
	EVIDENCE("Concat takes %s of the operators' time in %s", units_percent(to->finding->value).s,
		 printable_count((uint64_t)to->finding->a, "node").s);
	NEXT("GroupQueryAttention with a buffer that past and present share copies nothing, and saves up to %s a token",
	     units_duration(to->finding->gain_ns).s);
}

const struct insight insight_cache_copied = {
	.name = "cache_copied",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "time_share", .a = "operators" },
};
