// SPDX-License-Identifier: Apache-2.0
/* The CPUs ran at a lower frequency than usual: the same work took so much longer. */
#include "analyze/why/why_in.h"

extern const struct why_cause why_cpu_frequency;

static void find(struct why_case *why)
{
	const struct summary_slow *slow = why->slow;
	const struct summary_gauged *mhz = &slow->gauged[SUMMARY_FREQUENCY];
	double cpu_ns = slow->thread_cpu_ns >= 0 ? (double)slow->thread_cpu_ns : (double)slow->duration_ns;
	struct printable *words;

	if (!why_has(why, SUMMARY_FREQUENCY) || !(mhz->mean < 0.9 * mhz->usual))
		return;
	words = why_take(why, &why_cpu_frequency, POOLS_CPU | POOLS_ANY, cpu_ns * (1 - mhz->mean / mhz->usual));
	if (!words)
		return;
	printable_add(words, "at a lower CPU frequency (%.0f MHz, usually %.0f", mhz->mean, mhz->usual);
	if (why_has(why, SUMMARY_TEMPERATURE))
		printable_add(words, "; %.0f \302\260C", slow->gauged[SUMMARY_TEMPERATURE].mean);
	printable_add(words, ")");
}

const struct why_cause why_cpu_frequency = { "cpu_frequency", "a lower CPU frequency",
					     "cool the machine, or set its CPU frequency governor to performance",
					     find };
