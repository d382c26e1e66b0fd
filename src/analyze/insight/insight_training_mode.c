// SPDX-License-Identifier: Apache-2.0
/*
 * Dropout or batch normalization of the model computed as in training in a of b inferences of a recording, which no
 * backward pass followed. value: their share.
 */
#include "analyze/insight/insight_in.h"

extern const struct insight insight_training_mode;

enum { LEAST = 10 };

static void find(struct finder *finder)
{
	const struct summary_runs *runs = finder->run->result->runs;
	const struct recording_facts *facts = finder->run->result->recorded;
	uint64_t n_trained = facts ? facts->model->training.n_runs : 0, n;

	if (!facts || runs->n_training_mode <= n_trained)
		return;
	n = runs->n_training_mode - n_trained;
	if (n >= LEAST && n * 2 > runs->n)
		finder_add_counts(finder, &insight_training_mode, (double)n / (double)runs->n, (int64_t)n,
				  (int64_t)runs->n);
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
