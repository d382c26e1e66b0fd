// SPDX-License-Identifier: Apache-2.0
/* Processes, and counters: theirs, those of devices and of the machine. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/live/live_in.h"

struct live_process_row *live_process_at(const struct live *live, uint32_t track)
{
	for (uint32_t i = 0; i < live->n_processes; i++)
		if (live->process[i]->track == track && track)
			return live->process[i];
	return NULL;
}

static void drop_process(struct live *live, uint32_t index)
{
	free(live->process[index]);
	memmove(&live->process[index], &live->process[index + 1],
		(--live->n_processes - index) * sizeof(struct live_process_row *));
}

/* The oldest that is over goes. */
static bool make_room(struct live *live)
{
	if (live->n_processes < LIVE_PROCESSES)
		return true;
	for (uint32_t i = 0; i < live->n_processes; i++)
		if (!live->process[i]->track) {
			drop_process(live, i);
			return true;
		}
	live->sums.n_processes_left_out++;
	return false;
}

void live_process_define(struct live *live, const struct event *event)
{
	struct live_process_row *row = live_process_at(live, event->track);

	if (!row) {
		row = make_room(live) ? calloc(1, sizeof *row) : NULL;
		if (!row)
			return;
		row->track = event->track;
		row->shown.id = ++live->last_id;
		live->process[live->n_processes++] = row;
	}
	row->shown.pid = event->def->pid;
	snprintf(row->shown.name, sizeof row->shown.name, "%s", names_text(live->sink.names, event->def->name));
	snprintf(row->shown.command, sizeof row->shown.command, "%s",
		 names_text(live->sink.names, event->def->command));
}

static void list_runtimes(struct live_process_row *process)
{
	char *to = process->shown.runtime;
	size_t size = sizeof process->shown.runtime, used = 0;

	for (uint32_t i = 0; i < process->n_runtimes && used < size; i++)
		used += (size_t)snprintf(to + used, size - used, "%s%s%s%s", i ? ", " : "", process->runtime[i].name,
					 *process->runtime[i].version ? " " : "", process->runtime[i].version);
}

void live_process_runtime(struct live_process_row *process, const char *name, const char *version)
{
	struct live_runtime *runtime = NULL;

	for (uint32_t i = 0; i < process->n_runtimes && !runtime; i++)
		if (!strncmp(process->runtime[i].name, name, sizeof runtime->name - 1))
			runtime = &process->runtime[i];
	if (!runtime && process->n_runtimes < LIVE_RUNTIMES)
		runtime = &process->runtime[process->n_runtimes++];
	if (!runtime)
		return;
	snprintf(runtime->name, sizeof runtime->name, "%s", name);
	if (*version)
		snprintf(runtime->version, sizeof runtime->version, "%s", version);
	list_runtimes(process);
}

void live_runtime_version(const struct live *live, struct live_row *row)
{
	const struct live_process_row *process = live_process_at(live, row->process);

	/* probes do not tell which of them it is */
	if (process && process->n_runtimes == 1 && !*row->shown.runtime)
		memcpy(row->shown.runtime, process->runtime[0].name, sizeof row->shown.runtime);
	for (uint32_t i = 0; process && i < process->n_runtimes; i++)
		if (!strcmp(process->runtime[i].name, row->shown.runtime))
			memcpy(row->shown.runtime_version, process->runtime[i].version,
			       sizeof row->shown.runtime_version);
}

void live_process_end(struct live *live, uint32_t track)
{
	struct live_process_row *row = live_process_at(live, track);

	if (!row)
		return;
	row->track = 0;
	row->over_interval = live->n_intervals + 1;
}

void live_processes_roll(struct live *live)
{
	for (uint32_t i = live->n_processes; i-- > 0;) {
		struct live_process_row *row = live->process[i];

		row->shown.is_over = row->over_interval != 0;
		row->shown.n_sampled_out = row->n_sampled_out;
		if (row->over_interval && row->over_interval + LIVE_ENDED < live->n_intervals)
			drop_process(live, i);
	}
}

struct live_counter_row *live_counter_define(struct live *live, const struct event *event, uint64_t process)
{
	struct live_counter_row *row = live->n_counters < LIVE_COUNTERS ? calloc(1, sizeof *row) : NULL;

	if (!row) {
		live->sums.n_counters_left_out++;
		return NULL;
	}
	row->first_interval = live->n_intervals;
	row->value = NAN;
	row->shown = (struct live_counter){ .process = process,
					    .name = names_keep(live->sink.names, event->def->name),
					    .unit = names_keep(live->sink.names, event->def->unit),
					    .value = NAN,
					    .last = NAN };
	live->counter[live->n_counters++] = row;
	return row;
}

/* A value that is older than two intervals has stopped coming. Sampling and rolling are not in step. */
void live_counters_roll(struct live *live, uint64_t now_ns, uint64_t interval_ns)
{
	for (uint32_t i = 0; i < live->n_counters; i++) {
		struct live_counter_row *row = live->counter[i];
		bool is_fresh = row->time_ns && row->time_ns + 2 * interval_ns + interval_ns / 2 >= now_ns;

		row->shown.last = row->value;
		row->shown.value = is_fresh ? row->value : NAN;
		row->point[live->n_intervals % LIVE_POINTS] = (float)row->shown.value;
	}
}

void live_counter_end(struct live *live, struct live_counter_row *counter)
{
	for (uint32_t i = 0; i < live->n_counters; i++)
		if (live->counter[i] == counter) {
			memmove(&live->counter[i], &live->counter[i + 1],
				(--live->n_counters - i) * sizeof(struct live_counter_row *));
			free(counter);
			return;
		}
}

uint32_t live_n_processes(const struct live *live)
{
	return live->n_processes;
}

const struct live_process *live_process(const struct live *live, uint32_t index)
{
	return index < live->n_processes ? &live->process[index]->shown : NULL;
}

uint32_t live_n_counters(const struct live *live)
{
	return live->n_counters;
}

const struct live_counter *live_counter(const struct live *live, uint32_t index)
{
	return index < live->n_counters ? &live->counter[index]->shown : NULL;
}

const struct live_counter *live_counter_named(const struct live *live, uint64_t process, const char *name)
{
	for (uint32_t i = 0; i < live->n_counters; i++)
		if (live->counter[i]->shown.process == process &&
		    !strcmp(names_text(live->sink.names, live->counter[i]->shown.name), name))
			return &live->counter[i]->shown;
	return NULL;
}

double live_process_usable(const struct live *live, uint64_t process, unsigned n_all)
{
	const struct live_counter *allowed = live_counter_named(live, process, "cpus allowed");
	const struct live_counter *quota = live_counter_named(live, process, "cpu quota");
	double usable = n_all ? n_all : NAN;

	usable = allowed ? fmin(usable, allowed->last) : usable;
	return quota && quota->last > 0 ? fmin(usable, quota->last) : usable;
}

double live_counter_point(const struct live *live, const struct live_counter *counter, uint32_t back)
{
	const struct live_counter_row *row = (const struct live_counter_row *)counter;

	if (back >= live->n_intervals || back >= LIVE_POINTS || live->n_intervals - 1 - back < row->first_interval)
		return NAN;
	return (double)row->point[(live->n_intervals - 1 - back) % LIVE_POINTS];
}
