// SPDX-License-Identifier: Apache-2.0
/*
 * A recorded session was created with graph optimization off: of the graph transformers only those ran that a session
 * cannot do without. A model that was optimized before is no finding: it has operators that only transformers make, or
 * is in the ORT format. a: nodes of the model.
 */
#include <string.h>

#include "analyze/insight/insight_in.h"

extern const struct insight insight_not_optimized;

enum { LEAST_NODES = 3 };

/* ONNX Runtime 1.7 to 1.32, with graph_optimization_level = ORT_DISABLE_ALL. */
static const char *const always[] = { "CastFloat16Transformer",	   "InsertCastTransformer",
				      "MemcpyTransformer",	   "RemoveDuplicateCastTransformer",
				      "EnsureUniqueDQForNodeUnit", NULL };

static bool is_needed(const char *name)
{
	int i = 0;

	while (always[i] && strcmp(always[i], name))
		i++;
	return always[i];
}

static bool is_made_by_transformers(const char *op_type)
{
	return op_type && (!strncmp(op_type, "Fused", 5) || !strcmp(op_type, "ReorderInput") ||
			   !strcmp(op_type, "ReorderOutput") || !strncmp(op_type, "QLinear", 7));
}

static bool is_ort_format(const struct recording_facts *facts)
{
	const char *path = names_text(facts->summary->names, facts->model->path);
	size_t len = strlen(path);

	return len > 4 && !strcmp(path + len - 4, ".ort");
}

static void find(struct finder *finder)
{
	const struct model_result *result = finder->run->result;

	/* some are always seen, unless the hooks of transformers were left out */
	if (!result->recorded || !result->n_transformers || result->n_operators < LEAST_NODES ||
	    is_ort_format(result->recorded))
		return;
	for (uint32_t i = 0; i < result->n_transformers; i++)
		if (!is_needed(result->transformers[i].name))
			return;
	for (uint32_t i = 0; i < result->n_operators; i++)
		if (is_made_by_transformers(result->operators[i].op_type))
			return;
	finder_add_counts(finder, &insight_not_optimized, NAN, (int64_t)result->n_operators, -1);
}

static void say(const struct speaker *to)
{
	FINDING("graph optimization is off");
	EVIDENCE("no transformer that fuses or removes nodes ran; %s run as they are in the model",
		 printable_count((uint64_t)to->finding->a, "node").s);
	NEXT("graph_optimization_level = ORT_ENABLE_ALL is the default; inftrace model FILE --optimization none,all "
	     "measures what it gains");
}

const struct insight insight_not_optimized = {
	.name = "not_optimized",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .a = "nodes" },
};
