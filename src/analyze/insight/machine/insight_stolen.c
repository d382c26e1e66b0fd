// SPDX-License-Identifier: Apache-2.0
/*
 * The host of this virtual machine gave its CPUs to others. value: share of the CPUs' time that it took while
 * inferences ran; low: nanoseconds that an inference of the mean duration gave up by that.
 */
#include "analyze/insight/insight_in.h"

extern const struct insight insight_stolen;

static void find(struct finder *finder)
{
	const struct recording_facts *facts = finder->run->result->recorded;
	double share = facts ? recording_stolen(facts->summary) : NAN;
	struct finding *to;

	if (!facts || !facts->is_largest || !(share >= RECORDING_MUCH_STOLEN))
		return;
	to = finder_add(finder, &insight_stolen, share);
	to->low = share * finder->run->result->runs->latency.mean_ns;
}

static void say(const struct speaker *to)
{
	FINDING("the host of this virtual machine takes its CPUs");
	EVIDENCE("for %s of their time while inferences ran, about %s of each", units_percent(to->finding->value).s,
		 units_duration(to->finding->low).s);
	NEXT("a machine with CPUs of its own (dedicated, or another kind or host): the program cannot change it, and "
	     "its operators only seem to be slower");
}

const struct insight insight_stolen = {
	.name = "stolen",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "stolen_share", .low = "stolen_ns" },
};
