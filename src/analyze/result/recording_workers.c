// SPDX-License-Identifier: Apache-2.0
#include "analyze/result/recording_workers.h"

#include <stdlib.h>

static struct recording_worker *worker_of(struct recording_worker *all, uint32_t *n, uint32_t process)
{
	for (uint32_t i = 0; i < *n; i++)
		if (all[i].process == process)
			return &all[i];
	if (*n == RECORDING_WORKERS)
		return NULL;
	all[*n] = (struct recording_worker){ .process = process };
	return &all[(*n)++];
}

static int by_median(const void *a_, const void *b_)
{
	const struct recording_worker *a = a_, *b = b_;

	return a->p50_ns != b->p50_ns ? (a->p50_ns < b->p50_ns ? -1 : 1)
				      : (a->process > b->process) - (a->process < b->process);
}

/* Of many sessions some are listed alone. */
static bool has_all_sessions(const struct summary *summary, const struct summary_model *model)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < model->sessions.n; i++)
		n += summary->sessions[model->sessions.first + i].n_runs;
	return n >= model->runs.n;
}

uint32_t recording_workers_list(const struct summary *summary, const struct summary_model *model,
				struct recording_worker all[RECORDING_WORKERS])
{
	const struct summary_session *session = summary->sessions + model->sessions.first;
	struct recording_worker *own;
	uint32_t n = 0;

	if (!has_all_sessions(summary, model))
		return 0;
	for (uint32_t i = 0; i < model->sessions.n; i++) {
		if (!session[i].n_runs || session[i].process == SUMMARY_NONE ||
		    !(own = worker_of(all, &n, session[i].process)))
			continue;
		own->n_runs += session[i].n_runs;
		if (session[i].latency.n <= own->n)
			continue;
		own->n = session[i].latency.n;
		own->p50_ns = session[i].latency.p50_ns;
		own->p90_ns = session[i].latency.p90_ns;
	}
	if (n)
		qsort(all, n, sizeof *all, by_median);
	return n;
}

struct recording_workers recording_workers_of(const struct summary *summary, const struct summary_model *model)
{
	struct recording_workers found = { .least_runs = UINT64_MAX,
					   .slowest.process = SUMMARY_NONE,
					   .quickest.process = SUMMARY_NONE,
					   .usual.process = SUMMARY_NONE };
	struct recording_worker all[RECORDING_WORKERS];
	uint32_t n = recording_workers_list(summary, model, all);

	for (uint32_t i = 0; i < n; i++) {
		found.least_runs = all[i].n_runs < found.least_runs ? all[i].n_runs : found.least_runs;
		found.most_runs = all[i].n_runs > found.most_runs ? all[i].n_runs : found.most_runs;
		if (all[i].n)
			all[found.n++] = all[i];
	}
	if (!found.n)
		return found;
	found.quickest = all[0];
	found.slowest = all[found.n - 1];
	found.usual = all[(found.n - 1) / 2];
	return found;
}
