// SPDX-License-Identifier: Apache-2.0
/* The provider ran a of b nodes. value: share of the inferences' time that the others took. */
#include "analyze/insight/insight_in.h"
#include "base/text/provider.h"

extern const struct insight insight_partly_taken;

/* Of the inferences' typical time, what operators of other providers typically take. Waits for a CPU are in neither. */
static double typical_share(const struct model_result *result, const char *asked)
{
	const struct summary_spread *latency = &result->recorded->model->runs.latency;
	double ns = 0, usual_ns = (double)latency->p50_ns * (double)latency->n;

	for (uint32_t i = 0; i < result->n_operators; i++)
		if (!provider_is(asked, result->operators[i].provider))
			ns += finder_typical_ns(&result->operators[i]);
	return ns / (usual_ns > 0 && usual_ns < result->operators_wall_ns ? usual_ns : result->operators_wall_ns);
}

static void find(struct finder *finder)
{
	const struct model_result *result = finder->run->result;
	const struct model_reach *reach = &finder->analysis->comparison.reach[finder->result];
	const char *asked = model_asked(result);
	uint32_t own = reach->n_own_nodes, all = own + reach->n_other_nodes;
	double share = reach->other_ns / result->operators_wall_ns;

	/* without the model's own nodes, those of the graph as it ran */
	for (uint32_t i = 0; !all && i < result->n_operators; i++)
		own += provider_is(asked, result->operators[i].provider);
	all = all ? all : result->n_operators;
	if (!result->n_operators || !asked || provider_is("cpu", asked) || !reach->own_provider ||
	    !(reach->other_ns > 0) || own >= all)
		return;
	/* a program's own choice of providers is a finding only if it costs something */
	if (result->recorded && !(typical_share(result, asked) >= 0.05))
		return;
	finder_add_counts(finder, &insight_partly_taken, share, own, all)->gain_ns =
	    finder_per_inference(finder, reach->other_ns);
}

static void say(const struct speaker *to)
{
	const char *asked = model_asked(to->run->result);

	if (to->run->result->recorded)
		FINDING("%s took only %s nodes of the graph that ran",
			model_provider(asked, INSIGHT_NAME, to->is_ascii).s, speaker_counts(to).s);
	else
		FINDING("the provider took only %s nodes", speaker_counts(to).s);
	EVIDENCE("the others take %s of the time: %s", units_percent(to->finding->value).s,
		 speaker_elsewhere(to, asked).s);
	NEXT("up to %s per %s could be saved; the table of operators lists them",
	     units_duration(to->finding->gain_ns).s, speaker_each(to));
}

const struct insight insight_partly_taken = {
	.name = "partly_taken",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "time_share_elsewhere", .a = "nodes_taken", .b = "nodes" },
};
