// SPDX-License-Identifier: Apache-2.0
/*
 * The thread did not run, and yet the kernel never switched it out: an interrupt, or the machine's host, had its CPU.
 * The kernel counts neither as CPU time of the thread nor as a wait.
 */
#include "analyze/why/why_in.h"

extern const struct why_cause why_stolen;

static void find(struct why_case *why)
{
	const struct summary_slow *slow = why->slow;
	double took_ns = (double)slow->duration_ns;
	struct printable *words;

	if (slow->switches || slow->run_queue_ns || slow->thread_cpu_ns < 0)
		return;
	words = why_take(why, &why_stolen, POOLS_BLOCKED, took_ns - (double)slow->thread_cpu_ns);
	if (words)
		printable_add(words, "in which the thread neither ran nor was switched out (interrupts, or the host of "
				     "a virtual machine, had its CPU)");
}

const struct why_cause why_stolen = { "stolen", "time in which the thread neither ran nor was switched out",
				      "a machine whose host is less busy, or interrupts on other CPUs", find };
