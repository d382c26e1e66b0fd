// SPDX-License-Identifier: Apache-2.0
/* Another inference of its session ran, for which it waited before its first operator: longer than they do on average.
 */
#include "analyze/why/why_in.h"

extern const struct why_cause why_turn;

static void find(struct why_case *why)
{
	const struct summary_coverage *coverage = &why->model->coverage;
	double usual_ns = coverage->n ? (double)coverage->turn_ns / (double)coverage->n : 0;
	double more_ns = (double)why->slow->turn_ns - usual_ns;
	struct printable *words =
	    more_ns > 0 ? why_take(why, &why_turn, POOLS_BLOCKED | POOLS_CPU | POOLS_ANY, more_ns) : NULL;

	if (words)
		printable_add(words, "waiting for another inference of its session (%s, on average %s)",
			      units_duration((double)why->slow->turn_ns).s, units_duration(usual_ns).s);
}

const struct why_cause why_turn = { "turn", "waiting for other inferences of the session",
				    "more streams (NUM_STREAMS), or fewer callers", find };
