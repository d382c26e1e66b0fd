// SPDX-License-Identifier: Apache-2.0
/* The rows of models: which exist, which makes room for another, and what readers get of them. Sums up nothing. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/live/live_in.h"

struct live_row *live_row_of(const struct live *live, uint64_t id)
{
	for (uint32_t i = 0; i < live->n_rows; i++)
		if (live->row[i]->shown.id == id)
			return live->row[i];
	return NULL;
}

static void add_sum(struct live_sum *to, const struct live_sum *from)
{
	to->n += from->n;
	to->n_failed += from->n_failed;
	to->wall_ns += from->wall_ns;
}

static void free_row(struct live *live, uint32_t index)
{
	struct live_row *row = live->row[index];

	live->n_freed++;
	live_ops_done(live, row);
	free(row->histogram);
	free(row->firsts);
	free(row);
	memmove(&live->row[index], &live->row[index + 1], (--live->n_rows - index) * sizeof(struct live_row *));
}

static void drop(struct live *live, uint32_t index)
{
	add_sum(&live->sums.gone, &live->row[index]->sum);
	free_row(live, index);
}

/* It is over, or has no session and did nothing for long. */
static bool may_go(const struct live *live, const struct live_row *row)
{
	if (row->over_interval)
		return true;
	return !row->n_sessions && !row->has_more_sessions && !row->n_open && !row->n_creating &&
	       row->last_interval + LIVE_ENDED < live->n_intervals;
}

/* Room for one more: what did nothing for longest goes. */
static bool make_room(struct live *live)
{
	uint32_t oldest = LIVE_MODELS;

	if (live->n_rows < LIVE_MODELS)
		return true;
	for (uint32_t i = 0; i < live->n_rows; i++)
		if (may_go(live, live->row[i]) &&
		    (oldest == LIVE_MODELS || live->row[i]->last_interval < live->row[oldest]->last_interval))
			oldest = i;
	if (oldest < LIVE_MODELS)
		drop(live, oldest);
	return oldest < LIVE_MODELS;
}

static struct live_row *add_row(struct live *live, const struct live_track *track, uint32_t name)
{
	const struct live_process_row *process = live_process_at(live, track->process);
	struct live_row *row = make_room(live) ? calloc(1, sizeof *row) : NULL;

	if (!row)
		return NULL;
	row->name = names_is_passing(name) ? 0 : name;
	row->process = track->process;
	row->first_interval = row->last_interval = live->n_intervals;
	row->shown.id = ++live->last_id;
	row->shown.process = track->process_id;
	row->shown.n_processes = 1;
	snprintf(row->shown.name, sizeof row->shown.name, "%s", names_text(live->sink.names, name));
	if (process) {
		row->shown.pid = process->shown.pid;
		snprintf(row->shown.process_name, sizeof row->shown.process_name, "%s", process->shown.name);
	}
	live->row[live->n_rows++] = row;
	return row;
}

static struct live_row *use(struct live_row *row)
{
	row->is_void = false;
	return row;
}

static bool is_named(const struct live *live, const struct live_row *row, uint32_t name)
{
	if (!names_is_passing(name) && name && row->name == name)
		return true;
	return !strncmp(row->shown.name, names_text(live->sink.names, name), sizeof row->shown.name - 1);
}

struct live_row *live_row_named(struct live *live, const struct live_track *track, uint32_t name, int64_t session)
{
	struct live_row *row = live_session_row(live, track, session);

	if (row && is_named(live, row, name))
		return use(row);
	for (uint32_t i = 0; i < live->n_rows; i++)
		if (live->row[i]->process == track->process && is_named(live, live->row[i], name))
			return use(live->row[i]);
	return add_row(live, track, name);
}

struct live_row *live_row_of_runtime(struct live *live, const struct live_track *track, uint32_t name,
				     const char *runtime)
{
	struct live_row *found = NULL;

	if (!*runtime)
		return live_row_named(live, track, name, -1);
	for (uint32_t i = 0; i < live->n_rows; i++) {
		struct live_row *row = live->row[i];
		if (row->process != track->process || !is_named(live, row, name))
			continue;
		if (!strncmp(row->shown.runtime, runtime, sizeof row->shown.runtime - 1))
			return use(row);
		if (!*row->shown.runtime)
			found = row;
	}
	found = found ? use(found) : add_row(live, track, name);
	if (found)
		snprintf(found->shown.runtime, sizeof found->shown.runtime, "%s", runtime);
	return found;
}

void live_rows_end(struct live *live, uint32_t process)
{
	for (uint32_t i = 0; i < live->n_rows; i++) {
		struct live_row *row = live->row[i];
		if (row->process != process)
			continue;
		row->process = 0;
		row->over_interval = live->n_intervals + 1;
		row->n_not_ended += row->n_open;
		row->n_open = row->n_creating = 0;
		row->n_sessions = 0;
	}
}

void live_rows_drop_old(struct live *live)
{
	for (uint32_t i = live->n_rows; i-- > 0;)
		if (live->row[i]->is_void)
			free_row(live, i);
		else if (live->row[i]->over_interval && live->row[i]->over_interval + LIVE_ENDED < live->n_intervals)
			drop(live, i);
}

void live_rows_done(struct live *live)
{
	while (live->n_rows)
		free_row(live, live->n_rows - 1);
}

uint32_t live_n_models(const struct live *live)
{
	return live->n_rows;
}

const struct live_model *live_model(const struct live *live, uint32_t index)
{
	return index < live->n_rows ? &live->row[index]->shown : NULL;
}

const struct live_model *live_model_of(const struct live *live, uint64_t id)
{
	const struct live_row *row = live_row_of(live, id);

	return row ? &row->shown : NULL;
}

static double per_ns(const struct live *live, double value)
{
	const struct live_interval *last;

	if (!live->n_intervals)
		return 0;
	last = &live->interval[(live->n_intervals - 1) % LIVE_POINTS];
	return value / (double)(last->end_ns - last->begin_ns);
}

double live_model_rate(const struct live *live, const struct live_model *model)
{
	return per_ns(live, model->last.n) * 1e9;
}

double live_model_tokens(const struct live *live, const struct live_model *model)
{
	return model->n_tokens ? per_ns(live, model->last.n_tokens) * 1e9 : NAN;
}

double live_model_busy(const struct live *live, const struct live_model *model)
{
	return per_ns(live, (double)model->last.wall_ns);
}
