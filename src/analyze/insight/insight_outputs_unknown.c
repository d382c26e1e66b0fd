// SPDX-License-Identifier: Apache-2.0
/* Outputs could not be compared. a of b outputs; text: why the first could not. */
#include "analyze/insight/insight_in.h"

extern const struct insight insight_outputs_unknown;

static void find(struct finder *finder)
{
	const struct model_result *result = finder->run->result;
	const char *problem = NULL;
	int64_t n_unknown = 0;

	for (uint32_t i = 0; i < result->n_outputs; i++) {
		if (!result->outputs[i].problem)
			continue;
		problem = problem ? problem : result->outputs[i].problem;
		n_unknown++;
	}
	if (n_unknown)
		finder_add_counts(finder, &insight_outputs_unknown, NAN, n_unknown, result->n_outputs)->text = problem;
}

static void say(const struct speaker *to)
{
	FINDING("its outputs could not be compared with %s",
		model_against(to->run->result->against, INSIGHT_NAME, to->is_ascii).s);
	EVIDENCE("%s: %s", speaker_counts(to).s, model_text(to->finding->text, INSIGHT_ERROR, to->is_ascii).s);
	NEXT("it may compute something else");
}

const struct insight insight_outputs_unknown = {
	.name = "outputs_not_compared",
	.severity = INSIGHT_DOUBT,
	.find = find,
	.say = say,
	.figures = { .a = "outputs_not_compared", .b = "outputs", .text = "reason" },
};
