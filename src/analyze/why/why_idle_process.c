// SPDX-License-Identifier: Apache-2.0
/*
 * The thread slept, and no other thread of the process worked for it: a signal stopped the process, a debugger, a
 * frozen cgroup or the machine did, or all threads waited. No operator is blamed for it. The counters do not say which
 * of these it was.
 */
#include "analyze/why/why_in.h"

extern const struct why_cause why_idle_process;

static void find(struct why_case *why)
{
	const struct summary_slow *slow = why->slow;
	double used = slow->gauged[SUMMARY_CPU].mean, waited = slow->gauged[SUMMARY_WAITING].mean;
	struct printable *words;

	/* percent of a CPU; a process that works on a device sleeps meanwhile */
	if (slow->thread_cpu_ns < 0 || slow->kernels_ns >= 0 || slow->device || !why_has(why, SUMMARY_CPU) ||
	    !why_has(why, SUMMARY_WAITING) || used + waited >= 50 ||
	    why_left(why, POOLS_BLOCKED) < (double)slow->duration_ns / 2)
		return;
	words = why_take(why, &why_idle_process, POOLS_BLOCKED, why_left(why, POOLS_BLOCKED));
	if (words)
		printable_add(words,
			      "in which its thread slept and the process used %.2f CPUs (it was stopped or frozen, "
			      "or its threads waited)",
			      used / 100);
}

const struct why_cause why_idle_process = { "idle_process", "time in which the process did nothing",
					    "look for a debugger, SIGSTOP, a frozen cgroup, or what its threads "
					    "wait for",
					    find };
