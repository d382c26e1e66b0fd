// SPDX-License-Identifier: Apache-2.0
/*
 * Inferences that ran while probes were out: how many comes with the stream, of each session or as an estimate of all,
 * and what they were like follows from those that were seen of the process lately. Estimates nothing itself.
 */
#include <stdlib.h>

#include "fleet/aggregate/fleet_in.h"

static struct fleet_window *window_of(struct fleet_process *process, struct series *series)
{
	struct fleet_window *grown;

	for (uint32_t i = 0; i < process->n_windows; i++)
		if (process->window[i].series == series)
			return &process->window[i];
	if (process->n_windows == FLEET_USED)
		return NULL;
	grown = realloc(process->window, (process->n_windows + 1) * sizeof *grown);
	if (!grown)
		return NULL;
	process->window = grown;
	process->window[process->n_windows] = (struct fleet_window){ .series = series };
	return &process->window[process->n_windows++];
}

void fleet_unseen_note(struct fleet *fleet, struct fleet_process *process, const struct tail_run *run,
		       struct series *series)
{
	struct fleet_window *window = process->is_paced ? window_of(process, series) : NULL;

	if (!window)
		return;
	if (!series_times_add(&window->now.runs, run->ns, 1))
		fleet->is_out_of_memory = true;
	if (*run->status)
		window->now.failed[failure_of(run->status)]++;
	fleet_usage_add(&window->now, run);
}

/* only: NULL, or the series that counts. */
static uint64_t count_seen(const struct fleet_process *process, const struct series *only)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < process->n_windows; i++)
		if (!only || process->window[i].series == only)
			n += process->window[i].now.runs.n + process->window[i].before.runs.n;
	return n;
}

static void add_like(struct fleet *fleet, struct series *series, const struct series_sums *from, uint64_t count)
{
	if (!series_add_like(series, from, count))
		fleet->is_out_of_memory = true;
	series_count_operators(series, false, count);
	tail_add_unseen(&fleet->now_tail, series, count);
}

static void take(struct fleet *fleet, struct fleet_process *process, uint64_t count, const struct series *only)
{
	uint64_t n = count_seen(process, only), before = 0, given = 0;

	for (uint32_t i = 0; i < process->n_windows && n; i++)
		for (int is_now = 0; is_now < 2 && (!only || process->window[i].series == only); is_now++) {
			const struct fleet_window *window = &process->window[i];
			const struct series_sums *sums = is_now ? &window->now : &window->before;
			uint64_t until;

			before += sums->runs.n;
			until = (uint64_t)((double)before / (double)n * (double)count + 0.5);
			add_like(fleet, window->series, sums, until - given);
			given = until;
		}
}

void fleet_unseen_take(struct fleet *fleet, struct fleet_process *process, uint64_t count)
{
	fleet->own.n_unprobed += count;
	take(fleet, process, count, NULL);
}

void fleet_unseen_take_series(struct fleet *fleet, struct fleet_process *process, const struct series *series,
			      uint64_t count)
{
	if (!series || !count_seen(process, series)) {
		fleet->own.n_unknown += count;
		return;
	}
	fleet->own.n_unprobed += count;
	take(fleet, process, count, series);
}

void fleet_unseen_roll(struct fleet_process *process)
{
	bool has_any = false;

	for (uint32_t i = 0; i < process->n_windows; i++)
		has_any |= process->window[i].now.runs.n > 0;
	for (uint32_t i = 0; i < process->n_windows && has_any; i++) {
		struct series_sums before = process->window[i].before;

		process->window[i].before = process->window[i].now;
		process->window[i].now = before;
		series_sums_clear(&process->window[i].now);
	}
}

void fleet_unseen_done(struct fleet_process *process)
{
	for (uint32_t i = 0; i < process->n_windows; i++) {
		series_sums_done(&process->window[i].now);
		series_sums_done(&process->window[i].before);
	}
	free(process->window);
}
