// SPDX-License-Identifier: Apache-2.0
/* Outputs differ from those of the reference. a of b outputs; value: the largest absolute difference. */
#include "analyze/insight/insight_in.h"

static void find(struct finder *finder)
{
	const struct model_result *result = finder->run->result;
	int64_t n_different = 0;
	double most = NAN;

	for (uint32_t i = 0; i < result->n_outputs; i++) {
		if (result->outputs[i].problem || result->outputs[i].is_equal)
			continue;
		most = fmax(most, result->outputs[i].max_abs);
		n_different++;
	}
	if (n_different)
		finder_add_counts(finder, &insight_outputs_differ, most, n_different, result->n_outputs);
}

static void say(const struct speaker *to)
{
	FINDING("its outputs differ from %s", model_against(to->run->result->against, INSIGHT_NAME, to->is_ascii).s);
	EVIDENCE("%s", speaker_counts(to).s);
	if (isfinite(to->finding->value))
		EVIDENCE(", by up to %.3g", to->finding->value);
	if (to->run->result->differs[MODEL_AXIS_MODEL])
		NEXT("if your application accepts that, set --absolute-tolerance and --relative-tolerance to what it "
		     "accepts");
	else
		NEXT("check the table of outputs before you rely on its speed");
}

const struct insight insight_outputs_differ = {
	.name = "outputs_differ",
	.severity = INSIGHT_WRONG,
	.find = find,
	.say = say,
	.figures = { .value = "max_absolute", .a = "outputs_different", .b = "outputs" },
};
