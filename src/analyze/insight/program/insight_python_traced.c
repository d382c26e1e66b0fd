// SPDX-License-Identifier: Apache-2.0
/*
 * A profiler, debugger or coverage tool of Python is on, which Python calls at each call or line of its code. value:
 * share of the recording; low: nanoseconds that threads ran with it.
 */
#include "analyze/insight/insight_in.h"

extern const struct insight insight_python_traced;

static const double least_share = 0.05, least_ns = 50e6;

static void find(struct finder *finder)
{
	const struct recording_facts *facts = finder->run->result->recorded;
	struct finding *to;
	double ns, wall_ns;

	if (!facts || !facts->is_largest || facts->model->process == SUMMARY_NONE)
		return;
	ns = (double)facts->summary->processes[facts->model->process].traced_ns;
	wall_ns = (double)facts->summary->time.wall_ns;
	if (ns < least_ns || ns < least_share * wall_ns)
		return;
	to = finder_add(finder, &insight_python_traced, ns / wall_ns);
	to->low = ns;
	to->gain_ns = finder_of_each(finder, ns); /* at most: what else it ran for is not known */
}

static void say(const struct speaker *to)
{
	FINDING("a profiler, debugger or coverage tool of Python is on, and takes time at each call or line");
	EVIDENCE("threads of Python ran for %s with it, %s of the recording", units_duration(to->finding->low).s,
		 units_percent(to->finding->value).s);
	NEXT("leave out cProfile, coverage, the debugger, sys.setprofile and sys.settrace: this recording has the "
	     "functions without them");
}

const struct insight insight_python_traced = {
	.name = "python_traced",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "share", .low = "traced_ns" },
};
