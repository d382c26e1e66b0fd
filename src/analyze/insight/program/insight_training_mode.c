// SPDX-License-Identifier: Apache-2.0
/*
 * Dropout or batch normalization of the model computed as in training in a of b inferences of a recording, which no
 * backward pass followed. value: their share.
 */
#include "analyze/insight/insight_in.h"

extern const struct insight insight_training_mode;

static void find(struct finder *finder)
{
	const struct summary_runs *runs = finder->run->result->runs;

	if (runs)
		finder_find_untrained(finder, &insight_training_mode, runs->n_training_mode);
}

static void say(const struct speaker *to)
{
	FINDING("the model is in training mode");
	EVIDENCE("dropout or batch normalization computed as in training in %s, and no backward pass followed: outputs "
		 "depend on chance, or on what else is in the batch",
		 to->finding->a == to->finding->b ? "each inference" : speaker_counts(to).s);
	NEXT("model.eval() before the first inference");
}

const struct insight insight_training_mode = {
	.name = "training_mode",
	.severity = INSIGHT_DOUBT,
	.find = find,
	.say = say,
	.figures = { .value = "share", .a = "inferences_in_training_mode", .b = "inferences" },
};
