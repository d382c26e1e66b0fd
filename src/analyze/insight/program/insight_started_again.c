// SPDX-License-Identifier: Apache-2.0
/*
 * A program is started again for each few inferences: its start takes most of the time. value: share of the time of its
 * processes that is neither inference nor session creation; a: processes; b: inferences; low: nanoseconds from the
 * start of a process to its first inference, in the middle of all.
 */
#include <stdlib.h>

#include "analyze/insight/insight_in.h"

extern const struct insight insight_started_again;

enum { LEAST_PROCESSES = 3, MOST_EACH = 4, MOST = 256 };

static int by_size(const void *a, const void *b)
{
	return (*(const uint64_t *)a > *(const uint64_t *)b) - (*(const uint64_t *)a < *(const uint64_t *)b);
}

/* From the start of processes to their first inference, of sessions that are listed; the one in the middle; 0: none. */
static uint64_t start_of(const struct recording_facts *facts)
{
	const struct summary_session *session = facts->summary->sessions + facts->model->sessions.first;
	uint64_t took[MOST];
	uint32_t n = 0;

	for (uint32_t i = 0; i < facts->model->sessions.n && n < MOST; i++) {
		const struct summary_process *process = &facts->summary->processes[session[i].process];

		if (session[i].process != SUMMARY_NONE && session[i].runs_begin_ns > process->start_ns &&
		    process->start_ns)
			took[n++] = session[i].runs_begin_ns - process->start_ns;
	}
	if (!n)
		return 0;
	qsort(took, n, sizeof *took, by_size);
	return took[n / 2];
}

static void find(struct finder *finder)
{
	const struct recording_facts *facts = finder->run->result->recorded;
	const struct summary_runs *runs = finder->run->result->runs;
	uint64_t start_ns, each_ns;
	struct finding *to;

	if (!facts || facts->model->n_processes < LEAST_PROCESSES || !runs->n ||
	    runs->n > (uint64_t)MOST_EACH * facts->model->n_processes)
		return;
	start_ns = start_of(facts);
	each_ns = runs->wall_ns / facts->model->n_processes;
	if (!start_ns || start_ns < 4 * each_ns)
		return;
	to = finder_add_counts(finder, &insight_started_again, (double)start_ns / (double)(start_ns + each_ns),
			       facts->model->n_processes, (int64_t)runs->n);
	to->low = (double)start_ns;
	to->gain_ns = finder_of_each(finder, (double)start_ns * (double)(facts->model->n_processes - 1));
}

static void say(const struct speaker *to)
{
	FINDING("the program is started again for each few inferences");
	EVIDENCE("%s for %s; each takes %s until its first inference, %s of its time",
		 printable_count((uint64_t)to->finding->a, "process").s,
		 printable_count((uint64_t)to->finding->b, "inference").s, units_duration(to->finding->low).s,
		 units_percent(to->finding->value).s);
	NEXT("one process that takes many inputs starts once");
}

const struct insight insight_started_again = {
	.name = "started_again",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "start_share", .a = "processes", .b = "inferences", .low = "start_ns" },
};
