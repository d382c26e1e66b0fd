// SPDX-License-Identifier: Apache-2.0
/*
 * Threads of the process other than the one that ran the inference waited for a CPU: its pool's, for which it then
 * waits, blocked or spinning.
 */
#include "analyze/why/why_in.h"

extern const struct why_cause why_pool_wait;

double why_pool_waited_ns(const struct why_case *why)
{
	const struct summary_slow *slow = why->slow;
	const struct summary_gauged *waiting = &slow->gauged[SUMMARY_WAITING];
	double own_ns = slow->run_queue_ns > 0 ? (double)slow->run_queue_ns : 0, waited_ns;

	if (!why_has(why, SUMMARY_WAITING))
		return 0;
	waited_ns = waiting->mean / 100 * (double)slow->duration_ns - own_ns;
	if (isfinite(waiting->usual))
		waited_ns -= waiting->usual / 100 * (double)slow->usual.p50_ns;
	/* the counter is a mean over more than the inference: little beside its own wait is nothing */
	return waited_ns > own_ns / 2 && waited_ns > why->to->excess_ns / 10 ? waited_ns : 0;
}

static void find(struct why_case *why)
{
	double waited_ns = why_pool_waited_ns(why);
	struct printable *words =
	    waited_ns > 0 ? why_take(why, &why_pool_wait, POOLS_BLOCKED | POOLS_CPU, waited_ns) : NULL;

	if (words)
		printable_add(words, "while other threads of the program waited for a CPU (for %s more than usual)",
			      units_duration(waited_ns).s);
}

const struct why_cause why_pool_wait = { "pool_wait", "other threads of the program that wait for a CPU",
					 "fewer threads, or a machine that is less busy", find };
