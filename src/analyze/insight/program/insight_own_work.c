// SPDX-License-Identifier: Apache-2.0
/* The program's own work between inferences takes longer than the inferences: preprocessing dominates. value, low,
 * high, a, text: see finder_find_outside. */
#include "analyze/insight/insight_in.h"

extern const struct insight insight_own_work, insight_idle_between;

/* Of the recording. */
static const double least_share = 0.2;

static void find(struct finder *finder)
{
	const struct recording_facts *facts = finder->run->result->recorded;
	struct outside_part most = { 0 };
	struct finding *to = NULL;
	uint32_t model;
	double ns;

	if (!facts || !facts->summary->n_outside || finder_has(finder, &insight_idle_between))
		return;
	model = (uint32_t)(facts->model - facts->summary->models);
	if (outside_parts_of(facts->summary, model, SAMPLE_RAN, &most, 1) &&
	    outside_is_collection(facts->summary, &most))
		return;
	ns = (double)outside_habit_ns(facts->summary, model, SAMPLE_RAN);
	if (ns >= (double)summary_runs_ns(&facts->model->runs))
		to = finder_find_outside(finder, &insight_own_work, SAMPLE_RAN, least_share);
	if (to)
		to->b = outside_is_between_processes(facts->summary, &most);
}

static void say(const struct speaker *to)
{
	FINDING("the program's own work takes longer than the model");
	EVIDENCE("%s", speaker_outside(to).s);
	if (*to->text.s)
		EVIDENCE(", most of it in %s", to->text.s);
	if (to->finding->b == 1)
		NEXT("what goes to another process is copied through a pipe: pass a file's name or "
		     "multiprocessing.shared_memory, or run the model in threads of one process");
	else
		NEXT("make that faster, do it once, or in another thread while the model runs");
}

const struct insight insight_own_work = {
	.name = "own_work",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "share",
		     .low = "each_ns",
		     .high = "total_ns",
		     .a = "samples",
		     .b = "is_between_processes",
		     .text = "place" },
};
