// SPDX-License-Identifier: Apache-2.0
/* Threads that run a model wait for another thread before they can: a lock, a queue, a thread's end. value, low, high,
 * a, text: see finder_find_outside. */
#include "analyze/insight/insight_in.h"

extern const struct insight insight_waits_for_thread;

static const double least_share = 0.1;

static void find(struct finder *finder)
{
	finder_find_outside(finder, &insight_waits_for_thread, SAMPLE_LOCK, least_share);
}

static void say(const struct speaker *to)
{
	FINDING("its callers wait for other threads");
	EVIDENCE("%s", speaker_outside(to).s);
	if (*to->text.s)
		EVIDENCE(", most of it in %s", to->text.s);
	NEXT("see what the thread does that they wait for: inftrace view shows both");
}

const struct insight insight_waits_for_thread = {
	.name = "waits_for_thread",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "share", .low = "each_ns", .high = "total_ns", .a = "samples", .text = "place" },
};
