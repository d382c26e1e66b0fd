// SPDX-License-Identifier: Apache-2.0
/*
 * Inferences of a recording are blocked while another session of the process runs one: both need a lock, a device, or
 * the same threads. value: share of their time beside others that they are blocked longer than alone; low: nanoseconds
 * of each beside others; high: alone; a: inferences beside others; b: alone.
 */
#include "analyze/insight/insight_in.h"

extern const struct insight insight_waits_for_session;

enum { LEAST = 5 };

static double each_of(const struct summary_blocked *blocked)
{
	return (double)blocked->blocked_ns / (double)blocked->n;
}

/* One stop of the process, or one read from a disk, is no other session. */
static double without_longest(const struct summary_blocked *blocked)
{
	return (double)(blocked->blocked_ns - blocked->longest_ns) / (double)(blocked->n - 1);
}

static void find(struct finder *finder)
{
	const struct summary_runs *runs = finder->run->result->runs;
	double more_ns, share;
	struct finding *to;

	if (!runs || runs->beside.n < LEAST || runs->alone.n < LEAST)
		return;
	more_ns = without_longest(&runs->beside) - each_of(&runs->alone);
	share = more_ns * (double)runs->beside.n / (double)runs->beside.wall_ns;
	if (!(share >= 0.15) || !(more_ns >= 50e3))
		return;
	to = finder_add_counts(finder, &insight_waits_for_session, share, (int64_t)runs->beside.n,
			       (int64_t)runs->alone.n);
	to->low = each_of(&runs->beside);
	to->high = each_of(&runs->alone);
	to->gain_ns = more_ns * (double)runs->beside.n / (double)runs->n;
}

static void say(const struct speaker *to)
{
	FINDING("its inferences wait for another session");
	EVIDENCE("while another session of the process runs, each is blocked for %s",
		 units_duration(to->finding->low).s);
	EVIDENCE(", alone for %s (%s and %s)", units_duration(to->finding->high).s,
		 printable_count((uint64_t)to->finding->a, "inference").s, units_count((uint64_t)to->finding->b).s);
	NEXT("they share a lock, a device or threads; without that, each would take %s less",
	     units_duration(to->finding->low - to->finding->high).s);
}

const struct insight insight_waits_for_session = {
	.name = "waits_for_session",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "waiting_share",
		     .low = "blocked_beside_others_ns",
		     .high = "blocked_alone_ns",
		     .a = "inferences_beside_others",
		     .b = "inferences_alone" },
};
