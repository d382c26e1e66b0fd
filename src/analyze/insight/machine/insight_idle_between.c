// SPDX-License-Identifier: Apache-2.0
/*
 * The device idles before most inferences for as long as they last, and the program works meanwhile. value: the share
 * of the time from one inference to the next; low: nanoseconds before each; a: inferences, of b with kernels; text:
 * what the program did then, most of it.
 */
#include "analyze/insight/insight_in.h"

extern const struct insight insight_idle_between;

/* Nanoseconds that the program's threads ran, or would have, before inferences of the model: without the longest. */
static double worked_ns(const struct recording_facts *facts)
{
	const struct summary *summary = facts->summary;
	uint32_t model = (uint32_t)(facts->model - summary->models);

	return (double)outside_habit_ns(summary, model, SAMPLE_RAN) +
	       (double)outside_habit_ns(summary, model, SAMPLE_QUEUED);
}

static void find(struct finder *finder)
{
	const struct summary_runs *runs = finder_device_runs(finder);
	const struct recording_facts *facts = finder->run->result->recorded;
	struct outside_part part;
	struct finding *finding;
	double ns;

	if (!runs || worked_ns(facts) < 0.5 * (double)runs->device.between_ns)
		return;
	finding = finder_add_bound(finder, &insight_idle_between, runs->device.n_idle_before, runs->device.between_ns);
	if (!finding)
		return;
	ns = (double)runs->device.between_ns;
	finding->value = ns / (ns + (double)runs->device.wall_ns);
	finding->low = ns / (double)runs->device.n_runs;
	finding->gain_ns = NAN;
	if (outside_parts_of(facts->summary, (uint32_t)(facts->model - facts->summary->models), SAMPLE_RAN, &part, 1))
		finding->text = arena_keep(finder->analysis->arena, outside_where(facts->summary, &part).s);
}

static void say(const struct speaker *to)
{
	FINDING("the device idles between inferences, while the program works");
	EVIDENCE("it idles for %s before each, %s of the time, in %s", units_duration(to->finding->low).s,
		 units_percent(to->finding->value).s, speaker_counts(to).s);
	if (*to->text.s)
		EVIDENCE("; most of the work is in %s", to->text.s);
	NEXT("do that work in another thread while the device computes, or on the device");
}

const struct insight insight_idle_between = {
	.name = "idle_between",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "idle_share",
		     .low = "each_ns",
		     .a = "inferences_bound",
		     .b = "inferences",
		     .text = "place" },
};
