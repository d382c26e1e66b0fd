// SPDX-License-Identifier: Apache-2.0
/*
 * Inferences that --sample or --rate left out. They are known as a number in each process, not by their sessions: each
 * recorded inference of a process stands for as many as any other of it.
 */
#include <math.h>

#include "analyze/summary/sum_in.h"
#include "analyze/summary/sum_kinds.h"

static double all_of(const struct summary *summary, const struct summary_model *model)
{
	double scale = summary->processes ? summary->sampled : 1;

	if (!model->n_processes && model->process != SUMMARY_NONE)
		scale = summary->processes[model->process].sampled;
	return (double)model->runs.n * scale;
}

static double scale_of(uint64_t n_recorded, uint64_t n_sampled_out)
{
	return n_recorded ? ((double)n_recorded + (double)n_sampled_out) / (double)n_recorded : 1;
}

void sum_sampled_make(const struct summary_maker *maker, struct summary *to)
{
	uint64_t n_recorded = 0;

	for (uint32_t i = 0; i < maker->processes.n; i++) {
		const struct process *process = process_at(maker, i);

		if (process->index == SUMMARY_NONE)
			continue;
		n_recorded = stats_sum(n_recorded, process->n_begun);
		to->n_sampled_out = stats_sum(to->n_sampled_out, process->n_sampled_out);
		to->processes[process->index].n_sampled_out = process->n_sampled_out;
		to->processes[process->index].sampled = scale_of(process->n_begun, process->n_sampled_out);
	}
	to->sampled = scale_of(n_recorded, to->n_sampled_out);
	for (uint32_t i = 0; i < to->n_models; i++) {
		struct summary_runs *runs = &to->models[i].runs;

		runs->n_all = (uint64_t)llround(all_of(to, &to->models[i]));
		to->n_all_inferences += runs->n_all;
		if (runs->n)
			runs->rate *= (double)runs->n_all / (double)runs->n;
	}
	if (!to->n_sampled_out)
		return;
	/* what ran while no inference was recorded is not known */
	to->busy_ns = 0;
	for (uint32_t i = 0; i < to->n_resources; i++) {
		struct summary_resource *resource = &to->resources[i];

		resource->busy_ns = resource->idle_ns = 0;
		resource->busy_mean = resource->busy_max = resource->idle_mean = resource->idle_max = NAN;
	}
}
