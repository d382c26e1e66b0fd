// SPDX-License-Identifier: Apache-2.0
/*
 * a of b inferences of a recording kept what a backward pass would need, and none followed. value: their share. Nothing
 * is found where the runtime's backward passes were not seen.
 */
#include "analyze/insight/insight_in.h"

extern const struct insight insight_gradients;

static void find(struct finder *finder)
{
	const struct summary_runs *runs = finder->run->result->runs;

	if (runs)
		finder_find_untrained(finder, &insight_gradients, runs->n_gradients);
}

static void say(const struct speaker *to)
{
	FINDING("gradients are on: inferences keep their intermediate results for a backward pass");
	EVIDENCE("the result of %s requires a gradient, and no backward pass followed",
		 to->finding->a == to->finding->b ? "each inference" : speaker_counts(to).s);
	NEXT("with torch.inference_mode(): (or torch.no_grad()) around the calls frees each result as soon as it was "
	     "used");
}

const struct insight insight_gradients = {
	.name = "gradients",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "share", .a = "inferences_with_gradients", .b = "inferences" },
};
