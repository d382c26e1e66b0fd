// SPDX-License-Identifier: Apache-2.0
/* The run leaves CPUs unused. value: CPUs that it used, of b. */
#include "analyze/insight/insight_in.h"

extern const struct insight insight_idle_cores, insight_forked, insight_serialised;

enum { LEAST = 20 };

/* A program that is recorded may have nothing else to run: it must run one after the other without a pause. */
static bool has_more_to_run(const struct recording_facts *facts)
{
	return !facts ||
	       (facts->is_largest && facts->is_one_at_a_time && facts->duty >= 0.8 && facts->model->runs.n >= LEAST);
}

/* A process that was stopped uses no CPU: its inferences seem to. */
static bool was_stopped(const struct recording_facts *facts)
{
	return facts && facts->model->runs.halted_ns >= 0.05 * (double)facts->model->runs.wall_ns;
}

/* Processes that run inferences beside it use the same CPUs. */
static double used_beside(const struct model_run *run)
{
	const struct recording_facts *facts = run->result->recorded;

	return facts && facts->n_beside > 1 && facts->program_cores > run->cores ? facts->program_cores : run->cores;
}

static void find(struct finder *finder)
{
	const struct model_run *run = finder->run;
	int64_t cpus = finder->analysis->report->machine.n_cpus;
	double usable = finder->analysis->report->machine.usable_cpus;

	/* the threads that would use them are missing, or wait for each other */
	if (!has_more_to_run(run->result->recorded) || was_stopped(run->result->recorded) ||
	    finder_has(finder, &insight_forked) || finder_has(finder, &insight_serialised))
		return;
	if (cpus >= 1 && used_beside(run) < 0.6 * (isnan(usable) ? (double)cpus : usable) &&
	    !finder_is_disturbed(finder) && !finder_has_waited(finder))
		finder_add_counts(finder, &insight_idle_cores, run->cores, -1, cpus);
}

static void say(const struct speaker *to)
{
	int64_t at_a_time = to->run->result->concurrency;

	FINDING("it leaves CPUs unused");
	EVIDENCE("it uses %s of %s", units_decimal(to->finding->value).s, units_count((uint64_t)to->finding->b).s);
	if (to->run->result->recorded)
		EVIDENCE("; inferences run one after the other for %s of the time",
			 units_percent(to->run->result->recorded->duty).s);
	if (at_a_time > 0 && to->run->result->recorded)
		NEXT("if more inputs are waiting: more than %s at a time, from other threads, or larger batches; if "
		     "each "
		     "depends on the one before: more threads in it (%s)",
		     printable_count((uint64_t)at_a_time, "inference").s, speaker_threads_option(to));
	else if (at_a_time > 0)
		NEXT("try more than %s at a time", printable_count((uint64_t)at_a_time, "inference").s);
}

const struct insight insight_idle_cores = {
	.name = "idle_cores",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "cpus_used", .b = "cpus" },
};
