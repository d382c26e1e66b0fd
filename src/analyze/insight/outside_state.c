// SPDX-License-Identifier: Apache-2.0
/* What insights share that are about what threads did while no model ran. */
#include <string.h>

#include "analyze/insight/insight_in.h"

static const double least_ns = 50e6; /* in all: five samples at 100 Hz */

struct finding *finder_find_outside(struct finder *finder, const struct insight *insight, enum sample_state state,
				    double least_share)
{
	const struct recording_facts *facts = finder->run->result->recorded;
	const struct summary *summary = facts ? facts->summary : NULL;
	uint32_t model = summary ? (uint32_t)(facts->model - summary->models) : SUMMARY_NONE;
	struct outside_part part;
	struct printable words;
	struct finding *to;
	double ns, habit_ns, share;

	if (!summary || !summary->n_outside || !facts->model->runs.n)
		return NULL;
	ns = (double)outside_state_ns(summary, model, state);
	share = ns / (double)summary->time.wall_ns;
	/* a stop is one, whenever it comes */
	habit_ns = state == SAMPLE_STOPPED ? ns : (double)outside_habit_ns(summary, model, state);
	if (!(habit_ns >= least_share * (double)summary->time.wall_ns) || !(habit_ns >= least_ns) ||
	    !outside_parts_of(summary, model, state, &part, 1))
		return NULL;
	words = outside_where(summary, &part);
	/* a thread without a stack may be the runtime's own, and spin */
	if (state == SAMPLE_RAN && !*words.s)
		return NULL;
	to = finder_add_counts(finder, insight, share, (int64_t)part.n, -1);
	to->low = to->gain_ns = ns / (double)facts->model->runs.n;
	to->high = ns;
	if (*words.s)
		to->text = arena_keep(finder->analysis->arena, words.s);
	return to;
}

struct printable speaker_outside(const struct speaker *to)
{
	struct printable text = { "" };

	printable_add(&text, "%s before each inference, ", units_duration(to->finding->low).s);
	printable_add(&text, "%s of the recording", units_percent(to->finding->value).s);
	return text;
}
