// SPDX-License-Identifier: Apache-2.0
/*
 * Memory was short: the kernel counts for how long some task of the machine had to wait for it (reclaim, swap, pages
 * read again). The thread was one of them if it was blocked; or took CPU time to find memory, which shows in its page
 * faults.
 */
#include "analyze/why/why_in.h"

extern const struct why_cause why_memory_pressure;

static void find(struct why_case *why)
{
	double pressure_ns = why_amount_ns(why, SUMMARY_MEMORY_PRESSURE);
	const struct summary_gauged *gauged = &why->slow->gauged[SUMMARY_MEMORY_PRESSURE];
	bool has_faulted = why->slow->major_faults > 0 || why->slow->faults > 2 * why->slow->usual.faults + 10;
	unsigned pools = POOLS_BLOCKED | (has_faulted ? POOLS_CPU | POOLS_ANY : 0);
	struct printable *words;

	/* a machine that is always short of memory makes no single inference slow */
	if (pressure_ns <= 0 || gauged->mean < 1.5 * gauged->usual)
		return;
	words = why_take(why, &why_memory_pressure, pools, pressure_ns);
	if (!words)
		return;
	printable_add(words, "while memory was short (tasks waited %s for it in the %s around it",
		      units_duration(pressure_ns).s, units_duration((double)gauged->span_ns).s);
	if (why->slow->major_faults > 0)
		printable_add(words, "; it had %s major page faults", units_count((uint64_t)why->slow->major_faults).s);
	printable_add(words, ")");
}

const struct why_cause why_memory_pressure = { "memory_pressure", "memory that was short",
					       "more memory, or fewer programs beside it", find };
