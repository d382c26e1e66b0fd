// SPDX-License-Identifier: Apache-2.0
/*
 * The cgroup of a recording's process was out of CPU quota: the kernel then stops all of its threads until the next
 * period. value: CPUs of the quota; a: periods in which it was stopped; b: all periods; low: nanoseconds for which it
 * was, summed over CPUs; high: nanoseconds that each inference waited for a CPU.
 */
#include "analyze/insight/insight_in.h"

extern const struct insight insight_throttled;

enum { LEAST = 5 };

static const double least_share = 0.1;

static void find(struct finder *finder)
{
	const struct recording_facts *facts = finder->run->result->recorded;
	const struct summary_runs *runs = finder->run->result->runs;
	struct finding *to;

	if (!facts || !facts->is_largest || facts->n_throttled < LEAST ||
	    (double)facts->n_throttled < least_share * (double)facts->n_periods)
		return;
	to = finder_add_counts(finder, &insight_throttled, facts->quota, facts->n_throttled, facts->n_periods);
	to->low = facts->throttled_ns;
	if (runs->n_waits)
		to->high = to->gain_ns = (double)runs->run_queue_ns / (double)runs->n_waits;
}

static void say(const struct speaker *to)
{
	const struct recording_facts *facts = to->run->result->recorded;
	int64_t whole = facts->quota >= 1 ? (int64_t)facts->quota : 1;

	FINDING("its cgroup is out of CPU quota");
	EVIDENCE("it may use %s CPUs and was throttled in %s periods, for %s", units_decimal(to->finding->value).s,
		 speaker_counts(to).s, units_duration(to->finding->low).s);
	if (facts->n_threads > 0)
		EVIDENCE("; the process has %s", printable_count((uint64_t)facts->n_threads, "thread").s);
	if (isfinite(to->finding->high))
		EVIDENCE("; each inference waited %s", units_duration(to->finding->high).s);
	NEXT("%s in all (intra_op_num_threads), or a larger quota: more threads use it up sooner, and all of them then "
	     "stop until the next period",
	     printable_count((uint64_t)whole, "thread").s);
}

const struct insight insight_throttled = {
	.name = "throttled",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "quota_cpus",
		     .a = "periods_throttled",
		     .b = "periods",
		     .low = "throttled_ns",
		     .high = "waiting_ns" },
};
