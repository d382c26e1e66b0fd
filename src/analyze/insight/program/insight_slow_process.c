// SPDX-License-Identifier: Apache-2.0
/*
 * One of the processes that run a model is slower than the others. value: its median by that of the process in the
 * middle; a: its pid; b: processes; low: its median; high: that of the one in the middle.
 */
#include "analyze/insight/insight_in.h"
#include "analyze/result/recording_workers.h"

extern const struct insight insight_slow_process;

enum { LEAST_RUNS = 20, LEAST_PROCESSES = 3 };

static const double least_ratio = 1.5;

static void find(struct finder *finder)
{
	const struct recording_facts *facts = finder->run->result->recorded;
	struct recording_workers workers;
	struct finding *to;

	if (!facts || facts->model->n_processes < LEAST_PROCESSES)
		return;
	workers = recording_workers_of(facts->summary, facts->model);
	if (workers.n < LEAST_PROCESSES || workers.slowest.n < LEAST_RUNS || workers.usual.n < LEAST_RUNS ||
	    workers.slowest.p50_ns <= workers.usual.p90_ns ||
	    (double)workers.slowest.p50_ns < least_ratio * (double)workers.usual.p50_ns)
		return;
	to = finder_add_counts(finder, &insight_slow_process,
			       (double)workers.slowest.p50_ns / (double)workers.usual.p50_ns,
			       facts->summary->processes[workers.slowest.process].pid, (int64_t)workers.n);
	to->low = (double)workers.slowest.p50_ns;
	to->high = (double)workers.usual.p50_ns;
}

static void say(const struct speaker *to)
{
	FINDING("process %lld takes %s times as long as the others", (long long)to->finding->a,
		units_decimal(to->finding->value).s);
	EVIDENCE("its median is %s, that of the process in the middle of %s is %s", units_duration(to->finding->low).s,
		 units_count((uint64_t)to->finding->b).s, units_duration(to->finding->high).s);
	NEXT("inftrace report --by process shows each process separately");
}

const struct insight insight_slow_process = {
	.name = "slow_process",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "ratio", .a = "pid", .b = "processes", .low = "median_ns", .high = "usual_median_ns" },
};
