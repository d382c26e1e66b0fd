// SPDX-License-Identifier: Apache-2.0
/* The cgroup had used up its CPU quota: the kernel counts for how long. */
#include "analyze/why/why_in.h"

extern const struct why_cause why_cpu_quota;

static void find(struct why_case *why)
{
	double throttled_ns = why_amount_ns(why, SUMMARY_THROTTLED);
	struct printable *words;

	if (throttled_ns <= 0)
		return;
	words = why_take(why, &why_cpu_quota, POOLS_WAIT | POOLS_BLOCKED | POOLS_ANY, throttled_ns);
	if (words)
		printable_add(words, "without a CPU, as its cgroup was out of quota (throttled %s in the %s around it)",
			      units_duration(throttled_ns).s,
			      units_duration((double)why->slow->gauged[SUMMARY_THROTTLED].span_ns).s);
}

const struct why_cause why_cpu_quota = { "cpu_quota", "waiting for the CPU quota of its cgroup",
					 "a larger CPU quota of the cgroup (container), or fewer threads", find };
