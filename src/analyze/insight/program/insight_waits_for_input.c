// SPDX-License-Identifier: Apache-2.0
/* Threads that run a model wait in system calls before they can: for the network, a disk, another process. value, low,
 * high, a, text: see finder_find_outside. */
#include "analyze/insight/insight_in.h"

extern const struct insight insight_waits_for_input;

static const double least_share = 0.1;

static void find(struct finder *finder)
{
	finder_find_outside(finder, &insight_waits_for_input, SAMPLE_CALL, least_share);
}

static void say(const struct speaker *to)
{
	FINDING("its callers wait for data from outside");
	EVIDENCE("%s", speaker_outside(to).s);
	if (*to->text.s)
		EVIDENCE(", most of it in %s", to->text.s);
	NEXT("fetch the next input while the model runs; more callers use the time, too");
}

const struct insight insight_waits_for_input = {
	.name = "waits_for_input",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "share", .low = "each_ns", .high = "total_ns", .a = "samples", .text = "place" },
};
