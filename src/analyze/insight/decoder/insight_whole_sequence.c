// SPDX-License-Identifier: Apache-2.0
/*
 * a of b inferences take all tokens of the one before on their thread, and one more. value: their share. Nothing is
 * found of a model that has a cache.
 */
#include "analyze/insight/insight_in.h"
#include "analyze/result/recording_facts.h"

extern const struct insight insight_whole_sequence;

enum { LEAST = 16 };

static void find(struct finder *finder)
{
	const struct recording_facts *facts = finder->run->result->recorded;
	const struct summary_generations *of = facts ? &facts->model->generations : NULL;

	if (of && !of->n && of->n_repeated >= LEAST && 2 * of->n_repeated > facts->model->runs.n)
		finder_add_counts(finder, &insight_whole_sequence,
				  (double)of->n_repeated / (double)facts->model->runs.n, (int64_t)of->n_repeated,
				  (int64_t)facts->model->runs.n);
}

static void say(const struct speaker *to)
{
	FINDING("each inference takes one token more than the one before, as a decoder without a cache does");
	EVIDENCE("%s inferences", speaker_counts(to).s);
	NEXT("if it makes tokens, the same model exported with a cache (past_key_values) takes only the new one");
}

const struct insight insight_whole_sequence = {
	.name = "whole_sequence",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "share", .a = "inferences_that_repeat", .b = "inferences" },
};
