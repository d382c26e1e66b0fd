// SPDX-License-Identifier: Apache-2.0
/* The provider ran none of b nodes. text: the provider that ran most of them. */
#include "analyze/insight/insight_in.h"
#include "base/text/provider.h"

static void find(struct finder *finder)
{
	const struct model_result *result = finder->run->result;
	const struct model_reach *reach = &finder->analysis->comparison.reach[finder->result];
	uint32_t all = reach->n_own_nodes + reach->n_other_nodes;

	/* not for the CPU, on which everything may run */
	if (!result->n_operators || !result->provider || provider_is("cpu", result->provider) || reach->own_provider)
		return;
	finder_add_counts(finder, &insight_nothing_taken, NAN, 0, all ? all : result->n_operators)->text =
	    result->operators[0].provider;
}

static void say(const struct speaker *to)
{
	struct printable name = model_provider(to->finding->text, INSIGHT_NAME, to->is_ascii);

	FINDING("the provider ran no node");
	EVIDENCE("all %s ran on %s: %s", units_count((uint64_t)to->finding->b).s, name.s,
		 speaker_elsewhere(to, to->run->result->provider).s);
	NEXT("these are the figures of %s", name.s);
}

const struct insight insight_nothing_taken = {
	.name = "nothing_taken",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .a = "nodes_taken", .b = "nodes", .text = "ran_on" },
};
