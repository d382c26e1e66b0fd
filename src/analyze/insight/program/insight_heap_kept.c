// SPDX-License-Identifier: Apache-2.0
/*
 * Much of what is resident in the process of a recording is free memory that malloc keeps. value: bytes that it kept;
 * low: bytes resident then; high: bytes that malloc had in use then.
 */
#include "analyze/insight/insight_in.h"

extern const struct insight insight_heap_kept;

#define LEAST_BYTES (64.0 * (1 << 20))
#define LEAST_SHARE 0.25

static void add(struct finder *finder, double kept, double resident, double in_use)
{
	struct finding *finding = finder_add(finder, &insight_heap_kept, kept);

	finding->low = resident;
	finding->high = in_use;
}

static bool is_much(double kept, double resident)
{
	return kept >= LEAST_BYTES && kept >= resident * LEAST_SHARE && kept <= resident;
}

/* What stays at the end counts more than what was there when most was. */
static void find(struct finder *finder)
{
	const struct recording_facts *facts = finder->run->result->recorded;
	const struct summary_resident *resident;

	if (!facts || !facts->is_largest || facts->model->process == SUMMARY_NONE)
		return;
	resident = &facts->summary->processes[facts->model->process].resident;
	if (is_much(resident->kept, resident->last))
		add(finder, resident->kept, resident->last, resident->in_use);
	else if (is_much(resident->kept_at_most, resident->most))
		add(finder, resident->kept_at_most, resident->most, resident->in_use_at_most);
}

static void say(const struct speaker *to)
{
	FINDING("malloc keeps free memory");
	EVIDENCE("%s of %s that were resident; it had %s in use", units_bytes(to->finding->value).s,
		 units_bytes(to->finding->low).s, units_bytes(to->finding->high).s);
	NEXT("malloc_trim(0) after the largest inferences gives it back to the system; MALLOC_TRIM_THRESHOLD_=65536 "
	     "lets malloc keep little, at the price of page faults");
}

const struct insight insight_heap_kept = {
	.name = "heap_kept",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "kept_bytes", .low = "resident_bytes", .high = "in_use_bytes" },
};
