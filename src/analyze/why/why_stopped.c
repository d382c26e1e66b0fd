// SPDX-License-Identifier: Apache-2.0
/*
 * The process could not run: a signal had stopped it, a debugger held it, or its cgroup was frozen. States are sampled;
 * how long it was is what the thread slept, up to a sample more than was seen.
 */
#include "analyze/why/why_in.h"

extern const struct why_cause why_stopped;

static const double sample_ns = 100e6;

static const struct {
	enum summary_gauge gauge;
	const char *words;
} stops[] = {
	{ SUMMARY_STOPPED, "in which the process was stopped by a signal (SIGSTOP)" },
	{ SUMMARY_TRACED, "in which a debugger or tracer held the process" },
	{ SUMMARY_FROZEN, "in which the cgroup of the process was frozen" },
};

static void find(struct why_case *why)
{
	for (size_t i = 0; i < sizeof stops / sizeof *stops; i++) {
		double ns = why_has(why, stops[i].gauge) ? why_amount_ns(why, stops[i].gauge) : 0;
		struct printable *words;

		if (!(ns > 0) || why->slow->thread_cpu_ns < 0)
			continue;
		words = why_take(why, &why_stopped, POOLS_BLOCKED, ns + sample_ns);
		if (words)
			printable_add(words, "%s", stops[i].words);
	}
}

const struct why_cause why_stopped = { "stopped", "time in which the process was stopped, traced or frozen",
				       "find who sends SIGSTOP, attaches a debugger, or freezes the cgroup", find };
