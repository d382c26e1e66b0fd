// SPDX-License-Identifier: Apache-2.0
/*
 * Generations of one thread take turns, each step for one of them. value: the share of their time in which others ran.
 * a: the most at a time, -1: not known, as they are too many. b: tokens.
 */
#include "analyze/insight/insight_in.h"
#include "analyze/result/recording_facts.h"

extern const struct insight insight_generations_in_turn;

enum { LEAST = 20 };

static const double least_share = 0.3;

static void find(struct finder *finder)
{
	const struct recording_facts *facts = finder->run->result->recorded;
	const struct summary_generations *of = facts ? &facts->model->generations : NULL;

	if (!of || of->between.n < LEAST || of->most_at_a_time == 1 ||
	    (double)of->others_ns < least_share * (double)of->wall_ns)
		return;
	finder_add_counts(finder, &insight_generations_in_turn, (double)of->others_ns / (double)of->wall_ns,
			  of->most_at_a_time ? (int64_t)of->most_at_a_time : -1, (int64_t)of->between.n)
	    ->low = (double)of->others_ns / (double)of->between.n;
}

static void say(const struct speaker *to)
{
	FINDING("generations take turns: others run for %s of their time", units_percent(to->finding->value).s);
	if (to->finding->a > 0)
		EVIDENCE("up to %s at a time on one thread; ", units_count((uint64_t)to->finding->a).s);
	EVIDENCE("%s of waiting for each of %s", units_duration(to->finding->low).s,
		 printable_count((uint64_t)to->finding->b, "token").s);
	NEXT("one batch with a token of each reads the weights once for all of them");
}

const struct insight insight_generations_in_turn = {
	.name = "generations_in_turn",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "share", .low = "waiting_ns", .a = "at_a_time", .b = "tokens" },
};
