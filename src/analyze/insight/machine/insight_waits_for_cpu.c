// SPDX-License-Identifier: Apache-2.0
/* Inferences of a recording waited for a CPU. value: share of their time; low: nanoseconds of each. */
#include "analyze/insight/insight_in.h"

extern const struct insight insight_waits_for_cpu, insight_throttled;

static void find(struct finder *finder)
{
	const struct summary_runs *runs = finder->run->result->runs;
	struct finding *to;

	if (!runs || !finder_waits(runs) || finder_waits_for_itself(finder) || finder_has(finder, &insight_throttled))
		return;
	to = finder_add(finder, &insight_waits_for_cpu, summary_waited(runs));
	to->low = to->gain_ns = (double)runs->run_queue_ns / (double)runs->n_waits;
}

static void say(const struct speaker *to)
{
	const struct recording_facts *facts = to->run->result->recorded;
	double own = facts ? facts->all_cores : to->run->cores, nice = facts ? recording_nice(facts->summary) : 0;

	FINDING("its inferences wait for a CPU");
	EVIDENCE("for %s of their time, %s each", units_percent(to->finding->value).s,
		 units_duration(to->finding->low).s);
	if (to->run->others_cores >= 0.1 && own >= 0)
		EVIDENCE("; the program used %s CPUs while inferences ran, others %s of %s", units_decimal(own).s,
			 units_decimal(to->run->others_cores).s,
			 units_count((uint64_t)to->analysis->report->machine.n_all_cpus).s);
	if (nice > 0) {
		EVIDENCE("; it runs at nice %.0f, so that programs at 0 go first", nice);
		NEXT("a nice value of 0 (renice, or Nice= of its unit), or a machine that is less busy");
		return;
	}
	/* fewer threads of its own leave the CPUs to the others as they are */
	if (own >= 0 && to->run->others_cores > 1.5 * own)
		NEXT("a machine that is less busy, or CPUs or a share of its own (taskset, a cpuset, CPUWeight)");
	else
		NEXT("fewer threads, fewer inferences at a time, or a machine that is less busy");
}

const struct insight insight_waits_for_cpu = {
	.name = "waits_for_cpu",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "waiting_share", .low = "waiting_ns" },
};
