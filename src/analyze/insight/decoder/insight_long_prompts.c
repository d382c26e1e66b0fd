// SPDX-License-Identifier: Apache-2.0
/*
 * Prompts take much of the time of generations. value: the share of the prefill. low: nanoseconds for each token of a
 * prompt. a: median length of a prompt. b: generations.
 */
#include "analyze/insight/insight_in.h"
#include "analyze/result/recording_facts.h"

extern const struct insight insight_long_prompts;

enum { LEAST_TOKENS = 64 };

static const double least_share = 0.5;

static void find(struct finder *finder)
{
	const struct recording_facts *facts = finder->run->result->recorded;
	const struct summary_generations *of = facts ? &facts->model->generations : NULL;
	double own_ns = of ? (double)(of->wall_ns - of->others_ns) : 0;
	double prefill_ns = of ? (double)(of->prefill_ns - of->encoder_ns) : 0;

	/* one token after the prompt is not generation but classification */
	if (!of || of->n_whole < 2 || !of->between.n || of->median_prompt < LEAST_TOKENS ||
	    prefill_ns < least_share * own_ns || finder_has_waited(finder))
		return;
	finder_add_counts(finder, &insight_long_prompts, prefill_ns / own_ns, (int64_t)of->median_prompt,
			  (int64_t)of->n_whole)
	    ->low = prefill_ns / (double)of->prompt_tokens;
}

static void say(const struct speaker *to)
{
	FINDING("prompts take %s of the time of generations", units_percent(to->finding->value).s);
	EVIDENCE("%s for each token of a prompt, of which half of %s have %s or more",
		 units_duration(to->finding->low).s, printable_count((uint64_t)to->finding->b, "generation").s,
		 units_count((uint64_t)to->finding->a).s);
	NEXT("where prompts begin alike, keep the cache behind that beginning and compute the rest alone");
}

const struct insight insight_long_prompts = {
	.name = "long_prompts",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "share", .low = "prompt_token_ns", .a = "median_prompt", .b = "generations" },
};
