// SPDX-License-Identifier: Apache-2.0
/* Other inferences ran at the same time for longer than usual: they share caches, memory and the pool. */
#include "analyze/why/why_in.h"

extern const struct why_cause why_other_inferences;

static void say_other(const struct why_case *why, struct printable *words)
{
	const struct summary_slow *slow = why->slow;

	printable_add(words, ", most of %s", why_name(why, slow->other_model, 0).s);
	if (slow->other_process != slow->process && slow->other_process < why->summary->n_processes)
		printable_add(words, " in process %d", why->summary->processes[slow->other_process].pid);
	else if (slow->other_session > 0)
		printable_add(words, " in session %s", units_count((uint64_t)slow->other_session).s);
}

static void find(struct why_case *why)
{
	const struct summary_slow *slow = why->slow;
	double usual_ns = slow->usual.overlap_ns > 0 ? (double)slow->usual.overlap_ns : 0;
	double more_ns = (double)slow->overlap_ns - usual_ns;
	struct printable *words;

	/* a longer inference meets more of the others */
	if (more_ns <= 0 || (double)slow->overlap_ns / (double)slow->duration_ns <
				1.2 * usual_ns / (double)(slow->usual.p50_ns + !slow->usual.p50_ns))
		return;
	words = why_take(why, &why_other_inferences, POOLS_BLOCKED | POOLS_CPU | POOLS_ANY, more_ns);
	if (!words)
		return;
	printable_add(words, "while other inferences ran (for %s", units_duration((double)slow->overlap_ns).s);
	if (usual_ns > 0)
		printable_add(words, ", usually %s", units_duration(usual_ns).s);
	if (slow->other_model)
		say_other(why, words);
	printable_add(words, ")");
}

const struct why_cause why_other_inferences = { "other_inferences", "other inferences at the same time",
						"fewer inferences at a time", find };
