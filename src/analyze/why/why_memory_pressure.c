// SPDX-License-Identifier: Apache-2.0
/* Memory was short: the kernel counts for how long some task had to wait for it (reclaim, swap, pages read again). */
#include "analyze/why/why_in.h"

extern const struct why_cause why_memory_pressure;

static void find(struct why_case *why)
{
	double pressure_ns = why_amount_ns(why, SUMMARY_MEMORY_PRESSURE);
	const struct summary_gauged *gauged = &why->slow->gauged[SUMMARY_MEMORY_PRESSURE];
	struct printable *words;

	/* a machine that is always short of memory makes no single inference slow */
	if (pressure_ns <= 0 || gauged->mean < 1.5 * gauged->usual)
		return;
	words = why_take(why, &why_memory_pressure, POOLS_BLOCKED | POOLS_CPU | POOLS_ANY, pressure_ns);
	if (!words)
		return;
	printable_add(words, "while memory was short (tasks waited %s for it in the %s around it",
		      units_duration(pressure_ns).s, units_duration((double)gauged->span_ns).s);
	if (why->slow->major_faults > 0)
		printable_add(words, "; it had %s major page faults", units_count((uint64_t)why->slow->major_faults).s);
	printable_add(words, ")");
}

const struct why_cause why_memory_pressure = { "memory_pressure", find };
