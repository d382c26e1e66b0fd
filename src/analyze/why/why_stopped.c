// SPDX-License-Identifier: Apache-2.0
/*
 * The process could not run: a signal had stopped it, a debugger held it, or its cgroup was frozen. When it was seen so
 * is known; its begin and its end lie up to a sample further out.
 */
#include <string.h>

#include "analyze/why/why_in.h"

extern const struct why_cause why_stopped;

static void find(struct why_case *why)
{
	const struct summary_slow *slow = why->slow;
	const char *how = names_text(why->summary->names, slow->halted);
	struct printable *words = NULL;

	if (slow->halted)
		words = why_take(why, &why_stopped, POOLS_BLOCKED | POOLS_ANY, (double)slow->halted_most_ns);
	if (!words)
		return;
	if (!strcmp(how, EVENT_HALT_FROZEN))
		printable_add(words, "in which the cgroup of the process was frozen");
	else if (strcmp(how, EVENT_HALT_TRACED) != 0)
		printable_add(words, "in which the process was stopped by a signal (such as SIGSTOP)");
	else if (slow->halted_by)
		printable_add(words, "in which %s held the process as its tracer", why_name(why, slow->halted_by, 0).s);
	else
		printable_add(words, "in which a debugger or tracer held the process");
}

const struct why_cause why_stopped = { "stopped", "time in which the process was stopped, traced or frozen",
				       "find who sends SIGSTOP, attaches a debugger, or freezes the cgroup", find };
