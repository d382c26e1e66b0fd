// SPDX-License-Identifier: Apache-2.0
/*
 * Python collects garbage between inferences, and looks at all objects of the program for it. value: share of the
 * recording; low: nanoseconds before one inference; high: in all; a: samples.
 */
#include "analyze/insight/insight_in.h"

extern const struct insight insight_collects;

static const double least_share = 0.02, least_ns = 50e6; /* in all */

static void find(struct finder *finder)
{
	enum { MOST = 16 };
	const struct recording_facts *facts = finder->run->result->recorded;
	struct outside_part part[MOST], *own = NULL;
	struct finding *to;
	uint32_t n;

	if (!facts || !facts->summary->n_outside || !facts->model->runs.n)
		return;
	n = outside_parts_of(facts->summary, (uint32_t)(facts->model - facts->summary->models), SAMPLE_RAN, part, MOST);
	for (uint32_t i = 0; i < n && !own; i++)
		own = outside_is_collection(facts->summary, &part[i]) ? &part[i] : NULL;
	if (!own || (double)own->ns < least_share * (double)facts->summary->time.wall_ns || (double)own->ns < least_ns)
		return;
	to = finder_add_counts(finder, &insight_collects, (double)own->ns / (double)facts->summary->time.wall_ns,
			       (int64_t)own->n, -1);
	to->high = (double)own->ns;
	to->low = to->gain_ns = (double)own->ns / (double)facts->model->runs.n;
}

static void say(const struct speaker *to)
{
	FINDING("Python collects garbage between inferences");
	EVIDENCE("%s, %s in all", speaker_outside(to).s, units_duration(to->finding->high).s);
	NEXT("gc.freeze() once all is loaded: what was made until then is not looked at again; no gc.collect() for "
	     "each request, or a higher gc.set_threshold");
}

const struct insight insight_collects = {
	.name = "collects",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "share", .low = "each_ns", .high = "total_ns", .a = "samples" },
};
