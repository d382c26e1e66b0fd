// SPDX-License-Identifier: Apache-2.0
/* The provider ran a of b nodes. value: share of the inferences' time that the others took. */
#include "analyze/insight/insight_in.h"

extern const struct insight insight_partly_taken;

static void find(struct finder *finder)
{
	const struct model_result *result = finder->run->result;
	const struct model_reach *reach = &finder->analysis->comparison.reach[finder->result];
	uint32_t own = reach->n_own_nodes, all = own + reach->n_other_nodes;

	/* without the model's own nodes, those of the graph as it ran */
	for (uint32_t i = 0; !all && i < result->n_operators; i++)
		own += model_is_provider(result->provider, result->operators[i].provider);
	all = all ? all : result->n_operators;
	if (!result->n_operators || !result->provider || model_is_provider("cpu", result->provider) ||
	    !reach->own_provider || !(reach->other_ns > 0) || own >= all)
		return;
	finder_add_counts(finder, &insight_partly_taken, reach->other_ns / result->operators_wall_ns, own, all)
	    ->gain_ns = finder_per_inference(finder, reach->other_ns);
}

static void say(const struct speaker *to)
{
	FINDING("the provider took only %s nodes", speaker_counts(to).s);
	EVIDENCE("the others take %s of the time", units_percent(to->finding->value).s);
	NEXT("up to %s per inference could be saved; the table of operators lists them",
	     units_duration(to->finding->gain_ns).s);
}

const struct insight insight_partly_taken = {
	.name = "partly_taken",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "time_share_elsewhere", .a = "nodes_taken", .b = "nodes" },
};
