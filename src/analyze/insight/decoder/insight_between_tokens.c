// SPDX-License-Identifier: Apache-2.0
/*
 * Generations spend much of their time between the inferences. While others of their thread run, they do not: of many
 * in turns each one waits in each pause. value: the share. a: tokens.
 */
#include "analyze/insight/insight_in.h"
#include "analyze/result/recording_facts.h"

extern const struct insight insight_between_tokens;

enum { LEAST = 20 };

static const double least_share = 0.2;

static void find(struct finder *finder)
{
	const struct recording_facts *facts = finder->run->result->recorded;
	const struct summary_generations *of = facts ? &facts->model->generations : NULL;
	double wall_ns = of ? (double)of->wall_ns : 0;

	if (!of || of->between.n < LEAST || finder_has_waited(finder))
		return;
	/* the longest one may be a moment in which the program had no CPU */
	if ((double)of->outside_ns - (double)of->between.max_ns < least_share * wall_ns)
		return;
	finder_add_counts(finder, &insight_between_tokens, (double)of->outside_ns / wall_ns, (int64_t)of->between.n, -1)
	    ->gain_ns = (double)of->outside_ns / (double)of->between.n;
}

static void say(const struct speaker *to)
{
	FINDING("tokens wait for the program: generations are outside of the model for %s of their time",
		units_percent(to->finding->value).s);
	EVIDENCE("%s for each of %s", units_duration(to->finding->gain_ns).s,
		 printable_count((uint64_t)to->finding->a, "token").s);
	NEXT("what the program does between two inferences takes it: sampling, copies of outputs, text, other work");
}

const struct insight insight_between_tokens = {
	.name = "between_tokens",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "share", .a = "tokens" },
};
