// SPDX-License-Identifier: Apache-2.0
/*
 * Prompts begin as earlier ones of the model did, and are computed again from there. Tokens that were in the cache, and
 * what the runtime took from an earlier request, are none of them. value: the share of the prompts' tokens. low:
 * nanoseconds that they took. a: these tokens. b: generations.
 */
#include "analyze/insight/insight_in.h"
#include "analyze/result/recording_facts.h"

extern const struct insight insight_prompt_again;

static const double least_share = 0.3, least_time = 0.1;

static void find(struct finder *finder)
{
	const struct recording_facts *facts = finder->run->result->recorded;
	const struct summary_generations *of = facts ? &facts->model->generations : NULL;
	struct finding *to;

	if (!of || of->n_whole < 2 || !of->seen_tokens || !of->output_tokens ||
	    (double)of->seen_tokens < least_share * (double)of->prompt_tokens ||
	    (double)of->seen_ns < least_time * (double)(of->wall_ns - of->others_ns))
		return;
	to = finder_add_counts(finder, &insight_prompt_again, (double)of->seen_tokens / (double)of->prompt_tokens,
			       (int64_t)of->seen_tokens, (int64_t)of->n);
	to->low = (double)of->seen_ns;
	to->gain_ns = (double)of->seen_ns / (double)of->output_tokens;
}

static void say(const struct speaker *to)
{
	FINDING("prompts are computed again although they begin as earlier ones");
	EVIDENCE("%s of their tokens (%s in %s) stood at the begin of an earlier prompt",
		 units_percent(to->finding->value).s, units_count((uint64_t)to->finding->a).s,
		 printable_count((uint64_t)to->finding->b, "generation").s);
	EVIDENCE("; computing them again took %s", units_duration(to->finding->low).s);
	NEXT("keep the cache behind that beginning, and let only the rest of a prompt go in");
}

const struct insight insight_prompt_again = {
	.name = "prompt_again",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "share", .low = "total_ns", .a = "tokens_again", .b = "generations" },
};
