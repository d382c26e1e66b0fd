// SPDX-License-Identifier: Apache-2.0
/*
 * Inferences after a pause of their session are slower than those in a row: caches and clocks have gone cold, and pool
 * threads sleep. Quartiles are compared, and inputs of one shape only, so that neither chance nor size explains it.
 * value: ratio of the medians; low: median after a pause; high: median of the others; a, b: how many of each.
 */
#include "analyze/insight/insight_in.h"

extern const struct insight insight_slow_after_pause;

enum { LEAST = 20 };

static const double least_ratio = 1.25;

static uint32_t count_shapes(const struct recording_facts *facts)
{
	const struct summary_tally *tally = facts->summary->tallies + facts->model->tallies.first;
	uint32_t n = 0;

	for (uint32_t i = 0; i < facts->model->tallies.n; i++)
		n += tally[i].key == KEY_SHAPES;
	return n;
}

static void find(struct finder *finder)
{
	const struct summary_runs *runs = finder->run->result->runs;
	const struct recording_facts *facts = finder->run->result->recorded;
	const struct summary_pause *after = runs ? &runs->after_pause : NULL, *close = runs ? &runs->close : NULL;
	struct finding *to;

	if (!facts || after->n < LEAST || close->n < LEAST || count_shapes(facts) > 1 || finder_is_disturbed(finder) ||
	    after->p25_ns <= close->p75_ns || (double)after->p50_ns < least_ratio * (double)close->p50_ns)
		return;
	to = finder_add_counts(finder, &insight_slow_after_pause, (double)after->p50_ns / (double)close->p50_ns,
			       (int64_t)after->n, (int64_t)close->n);
	to->low = (double)after->p50_ns;
	to->high = (double)close->p50_ns;
	to->gain_ns = (to->low - to->high) * (double)after->n / (double)runs->latency.n;
}

static void say(const struct speaker *to)
{
	FINDING("inferences after a pause are slow");
	EVIDENCE("after 10 ms without one the median is %s, %s times that of inferences in a row (%s)",
		 units_duration(to->finding->low).s, units_decimal(to->finding->value).s,
		 units_duration(to->finding->high).s);
	NEXT("caches and clocks are cold, and the pool's threads sleep: requests that come in batches pay it once; "
	     "measure with the pauses of production, not in a loop");
}

const struct insight insight_slow_after_pause = {
	.name = "slow_after_pause",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "ratio",
		     .low = "after_pause_ns",
		     .high = "in_a_row_ns",
		     .a = "after_pause",
		     .b = "in_a_row" },
};
