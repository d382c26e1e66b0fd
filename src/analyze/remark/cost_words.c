// SPDX-License-Identifier: Apache-2.0
#include "analyze/remark/cost_words.h"

#include <math.h>

#include "base/text/units.h"

static int64_t arm_ns_of(const struct summary *summary)
{
	int64_t arm_ns = summary->cost.arm_ns;

	for (uint32_t i = 0; summary->cost.arm_ns < 0 && i < summary->n_runtimes; i++)
		if (summary->runtimes[i].arm_ns >= 0)
			arm_ns = (arm_ns < 0 ? 0 : arm_ns) + summary->runtimes[i].arm_ns;
	return arm_ns;
}

static bool put_program(const struct summary *summary, struct printable *line)
{
	const struct summary_cost *cost = &summary->cost;
	bool is_measured = isfinite(cost->event_ns);
	int64_t arm_ns = arm_ns_of(summary);

	if (cost->events < 0 || (!is_measured && !summary->recording.is_from_outside))
		return false;
	printable_add(line, "In the program: %s", printable_count((uint64_t)cost->events, "event").s);
	if (is_measured)
		printable_add(line, " of about %s each, %s in total", units_duration(cost->event_ns).s,
			      units_duration((double)cost->events * cost->event_ns).s);
	else
		printable_add(line, ", each recorded by a kernel probe in about a microsecond");
	if (arm_ns >= 0)
		printable_add(line, "; arming took %s", units_duration((double)arm_ns).s);
	return true;
}

uint32_t cost_words(const struct summary *summary, struct printable line[COST_LINES])
{
	const struct summary_cost *cost = &summary->cost;
	double seconds = (double)(summary->recording.end_ns - summary->recording.begin_ns) / 1e9;
	uint32_t n = 0;

	line[n] = (struct printable){ "" };
	n += put_program(summary, &line[n]);
	if (cost->recorder_cpu_ns < 0)
		return n;
	line[n] = (struct printable){ "" };
	printable_add(&line[n++], "The recorder: %s of CPU (%s of one core), at most %s of memory",
		      units_duration((double)cost->recorder_cpu_ns).s,
		      units_percent(seconds > 0 ? (double)cost->recorder_cpu_ns / 1e9 / seconds : NAN).s,
		      cost->recorder_peak_bytes >= 0 ? units_bytes((double)cost->recorder_peak_bytes).s : "-");
	return n;
}
