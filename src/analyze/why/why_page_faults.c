// SPDX-License-Identifier: Apache-2.0
/* Page faults that need no disk: their number is exact, their time is by what one was measured to take. */
#include "analyze/why/why_in.h"

extern const struct why_cause why_page_faults;

static void find(struct why_case *why)
{
	const struct summary_slow *slow = why->slow;
	int64_t more = slow->faults - (slow->major_faults > 0 ? slow->major_faults : 0) - slow->usual.faults;
	double each_ns = why->summary->cost.fault_ns;
	struct printable *words;

	if (slow->faults < 0 || slow->usual.faults < 0 || more <= 0 || !(each_ns > 0))
		return;
	words = why_take(why, &why_page_faults, POOLS_CPU, (double)more * each_ns);
	if (words)
		printable_add(words, "in %s more page faults than usual (at %s each, as measured here)",
			      units_count((uint64_t)more).s, units_duration(each_ns).s);
}

const struct why_cause why_page_faults = {
	"page_faults", "page faults",
	"use memory again: outputs that are bound once, the memory arena (enable_cpu_mem_arena)", find
};
