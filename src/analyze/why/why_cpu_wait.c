// SPDX-License-Identifier: Apache-2.0
/*
 * The thread waited for a CPU: the kernel counts for how long. Who had the CPUs: as the scheduler's events say; without
 * them, who used CPUs at the time.
 */
#include <string.h>

#include "analyze/why/why_in.h"

extern const struct why_cause why_cpu_wait;

enum { LEAST = 10, NAMED = 2 }; /* percent of a CPU */

static const char *const prefix[] = { [SUMMARY_OTHER_PROGRAM] = "other program ",
				      [SUMMARY_RAN_INSTEAD] = "waited for " };

static void add(struct printable *to, const char *text)
{
	printable_add(to, "%s%s", *to->s ? ", " : "", text);
}

/* "stress-ng had it for 38 ms" */
static void say_instead(const struct why_case *why, struct printable *to)
{
	int n = 0;

	for (int i = 0; i < SUMMARY_OTHERS && why->slow->others[i].name && n < NAMED; i++) {
		const struct summary_other *other = &why->slow->others[i];
		double ns = other->gauged.mean / 100 * (double)why->slow->duration_ns;

		if (other->gauge != SUMMARY_RAN_INSTEAD || ns < why->to->excess_ns / 20)
			continue;
		printable_add(to, "%s%s had it for %s", *to->s ? ", " : "",
			      why_name(why, other->name, strlen(prefix[other->gauge])).s, units_duration(ns).s);
		n++;
	}
}

/* "stress-ng used 1.98 CPUs at the time" */
static void say_others(const struct why_case *why, struct printable *to)
{
	int n = 0;

	for (int i = 0; i < SUMMARY_OTHERS && why->slow->others[i].name && n < NAMED; i++) {
		const struct summary_other *other = &why->slow->others[i];

		if (other->gauge != SUMMARY_OTHER_PROGRAM || other->gauged.mean < LEAST)
			continue;
		printable_add(to, "%s%s used %s CPUs", *to->s ? ", " : "",
			      why_name(why, other->name, strlen(prefix[other->gauge])).s,
			      units_decimal(other->gauged.mean / 100).s);
		n++;
	}
}

/* Its own threads: those that waited beside this one had the same CPUs. */
static void say_own(const struct why_case *why, struct printable *to)
{
	const struct summary_slow *slow = why->slow;
	double own = 100 * (double)slow->run_queue_ns / (double)slow->duration_ns;
	double beside = why_has(why, SUMMARY_WAITING) ? slow->gauged[SUMMARY_WAITING].mean - own : 0;
	struct printable text = { "" };

	if (beside < 50 || !why_has(why, SUMMARY_CPU))
		return;
	printable_add(&text, "its own threads used %s CPUs while %s of them waited",
		      units_decimal(slow->gauged[SUMMARY_CPU].mean / 100).s, units_decimal(beside / 100 + 1).s);
	add(to, text.s);
}

static void find(struct why_case *why)
{
	struct printable who = { "" }, *words = why_take(why, &why_cpu_wait, POOLS_WAIT, INFINITY);

	if (!words)
		return;
	say_instead(why, &who);
	if (!*who.s)
		say_others(why, &who);
	say_own(why, &who);
	printable_add(words, "waiting for a CPU");
	if (*who.s)
		printable_add(words, " (%s)", who.s);
	else if (why_has(why, SUMMARY_MACHINE_CPU))
		printable_add(words, " (the machine's were %s busy)",
			      units_percent(why->slow->gauged[SUMMARY_MACHINE_CPU].mean / 100).s);
}

const struct why_cause why_cpu_wait = { "cpu_wait", find };
