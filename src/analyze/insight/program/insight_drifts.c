// SPDX-License-Identifier: Apache-2.0
/* Latencies grow or shrink. value: median of the last quarter by that of the first. */
#include "analyze/insight/insight_in.h"

extern const struct insight insight_drifts;

/* Less is no reason to do anything about it. */
static const double least_ratio = 1.1;
/* Shorter ones may lie in a single moment of the machine. */
static const double least_ns = 100e6;

/* Inputs of several sizes, or caches of several lengths: the ratio within each size. */
static double ratio_of(const struct finder *finder)
{
	const struct recording_facts *facts = finder->run->result->recorded;
	double all = finder->run->latency.drift_ratio, own;

	if (facts && facts->model->generations.n)
		own = facts->model->generations.drift;
	else if (!facts || (facts->model->sizes.n < 2 && !facts->model->are_sizes_mixed))
		return finder->run->latency.is_gradual ? all : NAN;
	else
		own = facts->model->runs.size_drift;
	/* both must say the same */
	return (own > 1) == (all > 1) ? own : NAN;
}

/*
 * Other programs had the CPUs: waits as long as these, all of them in one quarter, would be as much. Where waits are
 * not known, others that were busy.
 */
static bool is_of_machine(const struct finder *finder, double ratio)
{
	const struct recording_facts *facts = finder->run->result->recorded;
	double waited = facts ? summary_waited(&facts->model->runs) : 0;

	return isnan(waited) ? finder_is_disturbed(finder) : waited > (1 - exp(-fabs(log(ratio)))) / 8;
}

static void find(struct finder *finder)
{
	const struct stats_series *series = &finder->run->latency;
	double ratio = ratio_of(finder);

	if (finder->run->result->recorded && (series->total_ns < least_ns || is_of_machine(finder, ratio)))
		return;
	if ((series->drift == STATS_SLOWING || series->drift == STATS_QUICKENING) &&
	    fabs(log(ratio)) >= log(least_ratio))
		finder_add(finder, &insight_drifts, ratio);
}

static void say(const struct speaker *to)
{
	bool is_slowing = to->finding->value > 1;

	FINDING("it gets %s while it runs", is_slowing ? "slower" : "faster");
	EVIDENCE("the median of the last quarter is %.2f times that of the first", to->finding->value);
	NEXT("%s", is_slowing ? "its mean depends on how long it runs" : "a longer warm-up would show its steady pace");
}

const struct insight insight_drifts = {
	.name = "drifts",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "last_by_first_quarter" },
};
