// SPDX-License-Identifier: Apache-2.0
/*
 * The cgroup of a recording's process was out of CPU quota: the kernel then stops all of its threads until the next
 * period. value: CPUs of the quota; a: periods in which it was stopped; b: all periods; low: nanoseconds for which it
 * was, summed over CPUs; high: nanoseconds that each inference waited for a CPU.
 */
#include <string.h>

#include "analyze/insight/insight_in.h"

extern const struct insight insight_throttled;

enum { CGROUP = 60 };

static void find(struct finder *finder)
{
	const struct recording_facts *facts = finder->run->result->recorded;
	const struct summary_runs *runs = finder->run->result->runs;
	struct finding *to;

	if (!facts || !facts->is_largest || !program_quota_is_short(&facts->quota, &facts->summary->time))
		return;
	to = finder_add_counts(finder, &insight_throttled, facts->quota.cpus, (int64_t)facts->quota.throttled,
			       (int64_t)facts->quota.periods);
	to->low = facts->quota.throttled_ns;
	if (runs->n_waits)
		to->high = to->gain_ns = (double)runs->run_queue_ns / (double)runs->n_waits;
}

/* One that is named after a container is cut in the middle. */
static struct printable cgroup_name(const struct speaker *to, const struct recording_facts *facts)
{
	struct printable name = { "it" };

	if (facts->quota.path && strcmp(facts->quota.path, "/") != 0)
		name = model_text(facts->quota.path, CGROUP, to->is_ascii);
	return name;
}

static void say(const struct speaker *to)
{
	const struct recording_facts *facts = to->run->result->recorded;
	int64_t whole = facts->quota.cpus >= 1 ? (int64_t)facts->quota.cpus : 1;
	int64_t n_threads = facts->n_pool > 0 ? facts->n_at_work : facts->n_threads;

	FINDING("its cgroup is out of CPU quota");
	EVIDENCE("%s may use %s CPUs and was throttled in %s periods, for %s", cgroup_name(to, facts).s,
		 units_decimal(to->finding->value).s, speaker_counts(to).s, units_duration(to->finding->low).s);
	if (n_threads > 0)
		EVIDENCE("; %s", printable_count((uint64_t)n_threads, "thread").s);
	if (isfinite(to->finding->high))
		EVIDENCE("; each inference waited %s", units_duration(to->finding->high).s);
	if (n_threads > 0 && n_threads <= whole)
		NEXT("a larger quota: the program has no more threads at work than the quota has CPUs");
	else
		NEXT("%s in all (%s), or a larger quota: more threads use it up sooner, and all of them then stop "
		     "until the next period",
		     printable_count((uint64_t)whole, "thread").s, speaker_threads_option(to));
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
