// SPDX-License-Identifier: Apache-2.0
/*
 * The thread waited for a CPU: the kernel counts for how long. Who had the CPUs: as the scheduler's events say; without
 * them, who used CPUs at the time.
 */
#include <string.h>

#include "analyze/result/recording_facts.h"
#include "analyze/why/why_in.h"

extern const struct why_cause why_cpu_wait;

enum { LEAST = 10, NAMED = 3 }; /* percent of a CPU */

static const char *const prefix[] = { [SUMMARY_OTHER_PROGRAM] = "other program ",
				      [SUMMARY_RAN_INSTEAD] = "waited for " };

static void add(struct printable *to, const char *text)
{
	printable_add(to, "%s%s", *to->s ? ", " : "", text);
}

/* Waits of all its threads, percent of the time. Who ran is not known of all: a thread may be moved while it waits. */
static double all_waits(const struct why_case *why)
{
	const struct summary_other *others = why->slow->others;
	double all = why_has(why, SUMMARY_WAITING) ? why->slow->gauged[SUMMARY_WAITING].mean : 0, known = 0;

	for (int i = 0; i < SUMMARY_OTHERS && others[i].gauge == SUMMARY_RAN_INSTEAD; i++)
		known += others[i].gauged.mean;
	return known > all ? known : all;
}

/* "stress-ng had it for 95 % of that" */
static void say_instead(const struct why_case *why, struct printable *to)
{
	const struct summary_other *others = why->slow->others;
	double all = all_waits(why);
	int n = 0;

	for (; all > 0 && n < NAMED && others[n].gauge == SUMMARY_RAN_INSTEAD; n++) {
		if (others[n].gauged.mean < all / 10)
			break;
		printable_add(to, "%s%s had it for %s", n ? ", " : "",
			      why_name(why, others[n].name, strlen(prefix[others[n].gauge])).s,
			      units_percent(others[n].gauged.mean / all).s);
	}
	/* one sample covers more than the inference */
	if (n)
		printable_add(to, " of %s",
			      others[0].gauged.span_ns > 2 * why->slow->duration_ns ? "such waits around it" : "that");
}

/* "stress-ng used 1.98 CPUs at the time" */
static void say_others(const struct why_case *why, struct printable *to)
{
	int n = 0;

	for (int i = 0; i < SUMMARY_OTHERS && why->slow->others[i].name && n < NAMED; i++) {
		const struct summary_other *other = &why->slow->others[i];

		if (other->gauge != SUMMARY_OTHER_PROGRAM || other->gauged.mean < LEAST)
			continue;
		printable_add(to, "%s%s used %.1f CPUs", *to->s ? ", " : "",
			      why_name(why, other->name, strlen(prefix[other->gauge])).s, other->gauged.mean / 100);
		n++;
	}
}

void why_say_who(const struct why_case *why, struct printable *to)
{
	say_instead(why, to);
	if (!*to->s)
		say_others(why, to);
}

/* CPUs that the program may use, where these are not all of the machine; else 0. */
static double limited_to(const struct why_case *why)
{
	double usable = recording_usable(why->summary);

	return usable < (double)why->summary->recording.n_cpus ? usable : 0;
}

void why_say_usable(const struct why_case *why, struct printable *to)
{
	double usable = limited_to(why);

	if (usable)
		printable_add(to, " of %s that it may use", units_decimal(usable).s);
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
	printable_add(&text, "its own threads used %.1f CPUs", slow->gauged[SUMMARY_CPU].mean / 100);
	why_say_usable(why, &text);
	printable_add(&text, " while %.1f of them waited", beside / 100 + own / 100);
	add(to, text.s);
}

static void find(struct why_case *why)
{
	struct printable who = { "" }, *words = why_take(why, &why_cpu_wait, POOLS_WAIT, INFINITY);

	if (!words)
		return;
	why_say_who(why, &who);
	say_own(why, &who);
	printable_add(words, "waiting for a CPU");
	if (*who.s)
		printable_add(words, " (%s)", who.s);
	else if (limited_to(why))
		printable_add(words, " (the program may use %s of the machine's %s)", units_decimal(limited_to(why)).s,
			      printable_count((uint64_t)why->summary->recording.n_cpus, "CPU").s);
	else if (why_has(why, SUMMARY_MACHINE_CPU))
		printable_add(words, " (the machine's were %s busy)",
			      units_percent(why->slow->gauged[SUMMARY_MACHINE_CPU].mean / 100).s);
}

const struct why_cause why_cpu_wait = { "cpu_wait", "waiting for a CPU",
					"fewer threads, fewer inferences at a time, or a machine that is less busy",
					find };
