// SPDX-License-Identifier: Apache-2.0
/*
 * Nodes in the graph copy between a device's provider and the CPU's. value: their share of the operators' time, as
 * medians have it; a: such nodes, of b; text: the device's provider.
 */
#include <string.h>

#include "analyze/insight/insight_in.h"
#include "base/text/provider.h"

extern const struct insight insight_crosses_providers;

static const double least_share = 0.05;

static bool crosses(const struct model_operator *op)
{
	return op->op_type && (!strcmp(op->op_type, "MemcpyFromHost") || !strcmp(op->op_type, "MemcpyToHost"));
}

/* The provider of most operators that is not the CPU's; NULL: there is none. */
static const char *device_provider(const struct model_result *result)
{
	const struct model_placement *most = NULL;

	for (uint32_t i = 0; i < result->n_placements; i++)
		if (!provider_is("cpu", result->placements[i].provider) &&
		    (!most || result->placements[i].n_nodes > most->n_nodes))
			most = &result->placements[i];
	return most ? most->provider : NULL;
}

static void find(struct finder *finder)
{
	const struct model_result *result = finder->run->result;
	double all_ns = 0, own_ns = 0;
	int64_t n = 0;

	for (uint32_t i = 0; i < result->n_operators; i++) {
		bool is_own = crosses(&result->operators[i]);

		n += is_own;
		all_ns += finder_typical_ns(&result->operators[i]);
		own_ns += is_own ? finder_typical_ns(&result->operators[i]) : 0;
	}
	if (n && finder_has_medians(finder) && own_ns >= least_share * all_ns) {
		struct finding *to =
		    finder_add_counts(finder, &insight_crosses_providers, own_ns / all_ns, n, result->n_operators);

		to->gain_ns = finder_per_inference(finder, own_ns);
		to->text = device_provider(result);
	}
}

static void say(const struct speaker *to)
{
	FINDING("data crosses between the device and the CPU inside of the model");
	EVIDENCE("nodes that only copy: %s, %s of the operators' time", speaker_counts(to).s,
		 units_percent(to->finding->value).s);
	if (to->finding->text)
		EVIDENCE("; on the CPU: %s", speaker_elsewhere(to, to->finding->text).s);
	NEXT("replace or place the operators that %s lacks: up to %s per inference; they rule out a CUDA graph, too",
	     to->finding->text ? model_provider(to->finding->text, INSIGHT_NAME, to->is_ascii).s : "the device",
	     units_duration(to->finding->gain_ns).s);
}

const struct insight insight_crosses_providers = {
	.name = "crosses_providers",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "time_share", .a = "nodes_copying", .b = "nodes", .text = "provider" },
};
