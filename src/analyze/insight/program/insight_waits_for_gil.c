// SPDX-License-Identifier: Apache-2.0
/* Threads that run a model wait for CPython's GIL before they can. value, low, high, a, text: see finder_find_outside.
 */
#include "analyze/insight/insight_in.h"

extern const struct insight insight_waits_for_gil;

static const double least_share = 0.05;

static void find(struct finder *finder)
{
	finder_find_outside(finder, &insight_waits_for_gil, SAMPLE_GIL, least_share);
}

static void say(const struct speaker *to)
{
	FINDING("its callers wait for the GIL");
	EVIDENCE("%s", speaker_outside(to).s);
	if (*to->text.s)
		EVIDENCE(", mostly %s", to->text.s);
	NEXT("do the work that holds it in another process, or in code that releases it");
}

const struct insight insight_waits_for_gil = {
	.name = "waits_for_gil",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "share", .low = "each_ns", .high = "total_ns", .a = "samples", .text = "place" },
};
