// SPDX-License-Identifier: Apache-2.0
/*
 * The thread did not run, and yet the kernel never switched it out: an interrupt, or the machine's host, had its CPU.
 * The kernel counts neither as CPU time of the thread nor as a wait. If the thread was switched out as well, the host's
 * part is estimated: as large as it was of all CPUs at the time.
 */
#include "analyze/why/why_in.h"

extern const struct why_cause why_stolen;

static double share_of_host(const struct why_case *why)
{
	return why_has(why, SUMMARY_STOLEN) ? why->slow->gauged[SUMMARY_STOLEN].mean / 100 : 0;
}

static void find(struct why_case *why)
{
	const struct summary_slow *slow = why->slow;
	double took_ns = (double)slow->duration_ns, share = share_of_host(why);
	bool was_switched = slow->switches || slow->run_queue_ns;
	struct printable *words;

	if (slow->thread_cpu_ns < 0)
		return;
	words = why_take(why, &why_stolen, POOLS_BLOCKED,
			 was_switched ? took_ns * share : took_ns - (double)slow->thread_cpu_ns);
	if (!words)
		return;
	if (was_switched)
		printable_add(
		    words, "in which the host of this virtual machine had its CPU (it took %s of the CPUs' time then)",
		    units_percent(share).s);
	else if (share > 0)
		printable_add(words,
			      "in which the thread neither ran nor was switched out (the host of this virtual machine "
			      "took %s of the CPUs' time then)",
			      units_percent(share).s);
	else
		printable_add(words, "in which the thread neither ran nor was switched out (interrupts, or the host of "
				     "a virtual machine, had its CPU)");
}

const struct why_cause why_stolen = { "stolen", "time in which the thread neither ran nor was switched out",
				      "a machine whose host is less busy, or interrupts on other CPUs", find };
