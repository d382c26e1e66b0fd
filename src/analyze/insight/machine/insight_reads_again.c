// SPDX-License-Identifier: Apache-2.0
/*
 * Inferences read what they need from a disk again and again: weights that are mapped from a file and do not stay in
 * memory. value: share of the inferences' time in which they were blocked meanwhile; a: inferences that read; b: those
 * whose usage is known; low: bytes that one of a reads; high: nanoseconds that one of a takes.
 */
#include "analyze/insight/insight_in.h"

extern const struct insight insight_reads_again;

static void find(struct finder *finder)
{
	const struct recording_facts *facts = finder->run->result->recorded;
	const struct summary_reads *reads = facts ? &facts->model->runs.reads : NULL;
	struct finding *to;

	if (!facts || !recording_reads_again(&facts->model->runs))
		return;
	to = finder_add_counts(finder, &insight_reads_again,
			       (double)reads->blocked_ns / (double)facts->model->runs.usage_wall_ns, (int64_t)reads->n,
			       (int64_t)facts->model->runs.n_usage);
	to->low = (double)reads->bytes / (double)reads->n;
	to->high = (double)reads->wall_ns / (double)reads->n;
	to->gain_ns = finder_of_each(finder, (double)reads->blocked_ns);
}

static void say(const struct speaker *to)
{
	FINDING("inferences read from a disk again and again");
	EVIDENCE("%s of %s, %s each; they are blocked for %s of their time meanwhile",
		 units_count((uint64_t)to->finding->a).s, units_count((uint64_t)to->finding->b).s,
		 units_bytes(to->finding->low).s, units_percent(to->finding->value).s);
	NEXT("weights that are mapped from a file do not stay in memory: a larger memory limit of its cgroup or "
	     "machine, "
	     "a smaller model, or mlock");
}

const struct insight insight_reads_again = {
	.name = "reads_again",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "blocked_share",
		     .a = "inferences_that_read",
		     .b = "inferences",
		     .low = "bytes_each",
		     .high = "latency_ns" },
};
