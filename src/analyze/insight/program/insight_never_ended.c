// SPDX-License-Identifier: Apache-2.0
/*
 * An inference did not end, and had then lasted longer than any that did. value: nanoseconds that it lasted; low: the
 * slowest one that ended; high: nanoseconds from its begin to the end of its last operator; a: its process; b: its
 * thread; text: that operator.
 */
#include "analyze/insight/insight_in.h"

extern const struct insight insight_never_ended, insight_forked;

static double slowest_of(const struct summary_runs *runs)
{
	uint64_t first_ns = runs->first.n ? runs->first.max_ns : 0, ns = runs->latency.n ? runs->latency.max_ns : 0;

	return ns > first_ns ? (double)ns : first_ns ? (double)first_ns : NAN;
}

static void find(struct finder *finder)
{
	const struct recording_facts *facts = finder->run->result->recorded;
	const struct summary_open *open;
	struct finding *to;
	uint32_t i = 0;

	if (!facts)
		return;
	open = facts->summary->open;
	while (i < facts->summary->n_open_rows && !(open[i].is_longest && !open[i].is_creation && !open[i].is_release &&
						    facts->model == &facts->summary->models[open[i].model]))
		i++;
	if (i == facts->summary->n_open_rows || open[i].process == SUMMARY_NONE)
		return;
	to = finder_add_counts(finder, &insight_never_ended, (double)(open[i].end_ns - open[i].begin_ns),
			       facts->summary->processes[open[i].process].pid, open[i].tid);
	to->low = slowest_of(&facts->model->runs);
	if (open[i].last) {
		to->high = (double)(open[i].last_ns - open[i].begin_ns);
		to->text = names_text(facts->summary->names, open[i].last);
	}
}

/* Is its process stopped, traced or frozen to this day? */
static bool is_halted(const struct speaker *to)
{
	const struct summary *summary = to->run->result->recorded->summary;

	for (uint32_t i = 0; i < summary->n_halts; i++)
		if (summary->halts[i].end_ns == STORE_OPEN && summary->halts[i].process < summary->n_processes &&
		    summary->processes[summary->halts[i].process].pid == to->finding->a)
			return true;
	return false;
}

static void say(const struct speaker *to)
{
	const struct finding *finding = to->finding;

	FINDING("an inference did not end");
	EVIDENCE("it ran for %s, in ", units_duration(finding->value).s);
	if (finding->b > 0 && finding->b != finding->a)
		EVIDENCE("thread %lld of ", (long long)finding->b);
	EVIDENCE("process %lld", (long long)finding->a);
	if (isfinite(finding->low))
		EVIDENCE("; the slowest other took %s", units_duration(finding->low).s);
	if (finding->text)
		EVIDENCE("; its last operator was %s, which ended after %s", to->text.s,
			 units_duration(finding->high).s);
	if (is_halted(to)) {
		EVIDENCE("; its process was stopped at the end of the recording");
		NEXT("let the process go on: a signal (kill -CONT %lld), a debugger or its cgroup holds it",
		     (long long)finding->a);
	} else if (insights_has(to->analysis, &insight_forked, finding->result))
		NEXT("create its session after the fork");
	else if (finding->text && finding->high > 0.9 * finding->value)
		NEXT("it did not wait, it ran operators to the end: look for a loop in the model that does not end, or "
		     "for inputs far larger than those of others");
	else
		NEXT("look where its thread waits while it runs: gdb -p %lld -batch -ex \"thread apply all bt\"",
		     (long long)finding->a);
}

const struct insight insight_never_ended = {
	.name = "never_ended",
	.severity = INSIGHT_WRONG,
	.find = find,
	.say = say,
	.figures = { .value = "lasted_ns",
		     .low = "slowest_other_ns",
		     .high = "last_operator_after_ns",
		     .a = "pid",
		     .b = "tid",
		     .text = "last_operator" },
};
