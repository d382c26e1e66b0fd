// SPDX-License-Identifier: Apache-2.0
/* The program was stopped, traced or frozen between inferences. value, low, high, a, text: see finder_find_outside. */
#include "analyze/insight/insight_in.h"

extern const struct insight insight_was_stopped;

static const double least_share = 0.02;

static void find(struct finder *finder)
{
	finder_find_outside(finder, &insight_was_stopped, SAMPLE_STOPPED, least_share);
}

static void say(const struct speaker *to)
{
	FINDING("the program was stopped between inferences");
	EVIDENCE("for %s in all, %s of the recording", units_duration(to->finding->high).s,
		 units_percent(to->finding->value).s);
	NEXT("find who sends SIGSTOP, attaches a debugger, or freezes the cgroup");
}

const struct insight insight_was_stopped = {
	.name = "was_stopped",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "share", .low = "each_ns", .high = "total_ns", .a = "samples", .text = "place" },
};
