// SPDX-License-Identifier: Apache-2.0
/* Events are missing from the recording: a of them. */
#include "analyze/insight/insight_in.h"

extern const struct insight insight_lost_events;

static void find(struct finder *finder)
{
	if (finder->run->result->n_lost > 0)
		finder_add_counts(finder, &insight_lost_events, NAN, finder->run->result->n_lost, -1);
}

static void say(const struct speaker *to)
{
	FINDING("the recording lost events");
	EVIDENCE("%s", printable_count((uint64_t)to->finding->a, "event").s);
	NEXT("a larger buffer (--ring-size), or a lower --level, loses fewer");
}

const struct insight insight_lost_events = {
	.name = "lost_events",
	.severity = INSIGHT_DOUBT,
	.find = find,
	.say = say,
	.figures = { .a = "events_lost" },
};
