// SPDX-License-Identifier: Apache-2.0
/*
 * a of b inferences of a recording kept what a backward pass would need, and none followed. value: their share. Nothing
 * is found where the runtime's backward passes were not seen.
 */
#include "analyze/insight/insight_in.h"

extern const struct insight insight_gradients;

enum { LEAST = 10 };

static void find(struct finder *finder)
{
	const struct summary_runs *runs = finder->run->result->runs;
	const struct recording_facts *facts = finder->run->result->recorded;
	uint64_t n_trained = facts ? facts->model->training.n_runs : 0, n;

	if (!facts || runs->n_gradients <= n_trained)
		return;
	n = runs->n_gradients - n_trained;
	if (n >= LEAST && n * 2 > runs->n)
		finder_add_counts(finder, &insight_gradients, (double)n / (double)runs->n, (int64_t)n,
				  (int64_t)runs->n);
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
