// SPDX-License-Identifier: Apache-2.0
/*
 * Kernels and copies of devices: how long each kind took, by the series of the inference that asked for them. They
 * come late: which series an inference is of is kept for the newest ones. Of which kind one is says the operator that
 * asked for it, else its own name.
 */
#include <stdlib.h>
#include <string.h>

#include "fleet/aggregate/fleet_in.h"

struct fleet_recent_runs {
	struct {
		uint64_t number;
		uint32_t series;
	} run[FLEET_RECENT]; /* by number */
};

void fleet_kernels_run(struct fleet_process *process, uint64_t number, const struct series *series)
{
	if (!process->recent)
		return;
	process->recent->run[number % FLEET_RECENT].number = number;
	process->recent->run[number % FLEET_RECENT].series = series->number;
}

/* One that no inference asked for is its model's, if there is one alone. NULL: it is not known whose it is. */
static struct series *series_of(const struct fleet *fleet, const struct fleet_process *process, uint64_t number)
{
	const struct fleet_recent_runs *recent = process->recent;

	if (number && recent && recent->run[number % FLEET_RECENT].number == number)
		return series_numbered(&fleet->series, recent->run[number % FLEET_RECENT].series);
	return process->n_used == 1 ? process->used[0] : NULL;
}

void fleet_kernel_add(struct fleet *fleet, const struct event *event, uint64_t end_ns)
{
	const struct fleet_track *track = fleet_track_at(fleet, event->track);
	struct fleet_process *process = track ? fleet_process_of(fleet, track) : NULL;
	uint32_t type = event_text(event, KEY_OP_TYPE);
	const char *name = names_text(fleet->sink.names, type ? type : event->name);
	struct series *series;
	char kind[32];

	if (!process)
		return;
	if (!process->recent)
		process->recent = calloc(1, sizeof *process->recent);
	series = series_of(fleet, process, (uint64_t)event_int(event, KEY_INFERENCE, 0));
	if (!series)
		return;
	origin_copy(kind, sizeof kind, name, strlen(name));
	if (!series_kernel_add(series, kind, end_ns > event->time_ns ? end_ns - event->time_ns : 0))
		fleet->is_out_of_memory = true;
}
