// SPDX-License-Identifier: Apache-2.0
/* The run failed. text: why. */
#include "analyze/insight/insight_in.h"

extern const struct insight insight_run_failed;

static void find(struct finder *finder)
{
	const struct model_result *result = finder->run->result;

	if (result->error)
		finder_add(finder, &insight_run_failed, NAN)->text = result->error;
}

static void say(const struct speaker *to)
{
	const struct model_result *result = to->run->result;

	if (model_step_task(result->failed_in))
		FINDING("it failed to %s", model_step_task(result->failed_in));
	else
		FINDING("it failed");
	EVIDENCE("%s", model_text(to->finding->text, INSIGHT_ERROR, to->is_ascii).s);
	if (result->advice)
		NEXT("%s", model_text(result->advice, INSIGHT_ERROR, to->is_ascii).s);
	else if (result->available)
		NEXT("this runtime offers %s", model_text(result->available, INSIGHT_ERROR, to->is_ascii).s);
}

const struct insight insight_run_failed = {
	.name = "run_failed",
	.severity = INSIGHT_WRONG,
	.find = find,
	.say = say,
	.figures = { .text = "error" },
};
