// SPDX-License-Identifier: Apache-2.0
/*
 * What the thread did with its time was not recorded, as for short inferences, but the threads of its program waited
 * for CPUs at the time: it is taken to have waited for as large a part of its time as all of them. Before causes that
 * every thread of a busy machine shows, among them an operator: one in which the thread lost its CPU took long, too.
 * Behind those that have a figure of their own.
 */
#include "analyze/why/why_in.h"

extern const struct why_cause why_likely_wait;

enum { LEAST = 50 }; /* percent of a CPU, of the time that passed */

static void find(struct why_case *why)
{
	const struct summary_slow *slow = why->slow;
	struct printable who = { "" }, *words;
	double waited, used;

	if (slow->run_queue_ns >= 0 || slow->thread_cpu_ns >= 0 || !why_has(why, SUMMARY_WAITING) ||
	    !why_has(why, SUMMARY_CPU))
		return;
	waited = slow->gauged[SUMMARY_WAITING].mean;
	used = slow->gauged[SUMMARY_CPU].mean;
	words = waited < LEAST
		    ? NULL
		    : why_take(why, &why_likely_wait, POOLS_ANY, why_left(why, POOLS_ANY) * waited / (waited + used));
	if (!words)
		return;
	printable_add(words, "probably waiting for a CPU (the program's threads used %.1f CPUs", used / 100);
	why_say_usable(why, words);
	printable_add(words, " while %.1f of them waited", waited / 100);
	why_say_who(why, &who);
	printable_add(words, "%s%s)", *who.s ? "; " : "", who.s);
}

const struct why_cause why_likely_wait = { "likely_wait", "waiting for a CPU, as is probable",
					   "fewer threads, fewer inferences at a time, or a machine that is less busy",
					   find };
