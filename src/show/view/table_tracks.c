// SPDX-License-Identifier: Apache-2.0
/* Tables with a row for each track: resources (counters) and threads; and of losses. They need no walk over slices. */
#include <math.h>

#include "show/view/view_table.h"

static const struct view_table_column resource_columns[] = {
	{ "name", "Counter", "", "text" },
	{ "unit", "Unit", "", "text" },
	{ "pid", "Process", "", "number" },
	{ "samples", "Samples", "", "number" },
	{ "mean", "Mean", "", "number" },
	{ "min", "Smallest", "", "number" },
	{ "max", "Largest", "", "number" },
	{ "first", "First", "", "number" },
	{ "last", "Last", "", "number" },
	{ "counter", "Counter", "", "number" },
	{ NULL },
};

static const struct view_table_column thread_columns[] = {
	{ "name", "Thread", "", "text" },
	{ "pid", "Process", "", "number" },
	{ "tid", "Thread id", "", "number" },
	{ "slices", "Slices", "", "number" },
	{ "busy_ns", "Covered time", "ns", "number" },
	{ "share", "Share", "percent", "number" },
	{ "track", "Track", "", "number" },
	{ NULL },
};

static const struct view_table_column loss_columns[] = {
	{ "begin", "Time", "ns", "time" },
	{ "events", "Events lost", "", "number" },
	{ "where", "Where", "", "text" },
	{ "pid", "Process", "", "number" },
	{ NULL },
};

struct range {
	uint64_t from_ns, to_ns;
};

static double pid_of(const struct view *view, uint32_t track)
{
	const struct store_track *process = store_track(view->store, store_process_of(view->store, track));

	return process ? process->def.pid : NAN;
}

static bool begin(struct view *view, struct view_table *table, struct range *range,
		  const struct view_table_column *columns, const struct http_request *request,
		  struct http_answer *answer)
{
	if (!view_table_init(table, columns, request, answer))
		return false;
	if (view_range(view, request, &range->from_ns, &range->to_ns))
		return true;
	http_say(answer, 400, "from and to must be nanoseconds of the recording, from before to");
	return false;
}

/* The mean weighs each value with the time since the one before, for which it stands. */
static void put_resource(const struct view *view, struct view_table *table, const struct store_track *track,
			 const struct range *range)
{
	const struct store_samples *samples = &track->samples;
	size_t first = store_first_from(samples->time_ns, samples->n, range->from_ns);
	size_t end = store_first_from(samples->time_ns, samples->n, range->to_ns);
	double min = NAN, max = NAN, sum = 0, weight = 0;
	struct view_table_cell *cell;

	if (first == end || !view_table_wants(table, NULL, view_name(view, track->def.name), NULL))
		return;
	for (size_t i = first; i < end; i++) {
		double ns = i ? (double)(samples->time_ns[i] - samples->time_ns[i - 1]) : 0;

		min = fmin(min, samples->value[i]);
		max = fmax(max, samples->value[i]);
		sum += samples->value[i] * ns;
		weight += ns;
	}
	cell = view_table_row(table);
	if (!cell)
		return;
	cell[0] = view_table_text(view_name(view, track->def.name));
	cell[1] = view_table_text(view_name(view, track->def.unit));
	cell[2] = view_table_number(pid_of(view, track->id));
	cell[3] = view_table_number((double)(end - first));
	cell[4] = view_table_number(weight > 0 ? sum / weight : samples->value[first]);
	cell[5] = view_table_number(min);
	cell[6] = view_table_number(max);
	cell[7] = view_table_number(samples->value[first]);
	cell[8] = view_table_number(samples->value[end - 1]);
	cell[9] = view_table_number(track->id);
}

struct http_job *table_resources(struct view *view, const struct http_request *request, struct http_answer *answer)
{
	struct view_table table;
	struct range range;

	if (!begin(view, &table, &range, resource_columns, request, answer))
		return NULL;
	if (!http_request_text(request, "sort") && !http_request_text(request, "dir"))
		table.query.is_ascending = true;
	for (uint32_t id = 1; id <= store_n_tracks(view->store); id++) {
		const struct store_track *track = store_track(view->store, id);

		if (track && track->samples.n)
			put_resource(view, &table, track, &range);
	}
	view_table_finish(&table, answer);
	view_table_done(&table);
	return NULL;
}

static void put_thread(const struct view *view, struct view_table *table, const struct store_track *track,
		       const struct range *range)
{
	uint32_t n_rows, number = pyramid_rows_of(view->pyramid, track->id, &n_rows);
	const struct pyramid_row *row = n_rows ? pyramid_row(view->pyramid, number) : NULL;
	const struct store_slices *slices = &track->slices;
	size_t n = store_first_from(slices->begin_ns, slices->n, range->to_ns) -
		   store_first_from(slices->begin_ns, slices->n, range->from_ns);
	struct view_table_cell *cell;
	double busy_ns;

	if (!row || !n || !view_table_wants(table, NULL, view_name(view, track->def.name), NULL))
		return;
	busy_ns = (double)pyramid_covered(row, pyramid_first_from(row, range->from_ns),
					  pyramid_first_from(row, range->to_ns));
	cell = view_table_row(table);
	if (!cell)
		return;
	cell[0] = view_table_text(view_name(view, track->def.name));
	cell[1] = view_table_number(pid_of(view, track->id));
	cell[2] = view_table_number(track->def.tid);
	cell[3] = view_table_number((double)n);
	cell[4] = view_table_number(busy_ns);
	cell[5] = view_table_number(busy_ns / (double)(range->to_ns - range->from_ns) * 100);
	cell[6] = view_table_number(track->id);
}

struct http_job *table_threads(struct view *view, const struct http_request *request, struct http_answer *answer)
{
	struct view_table table;
	struct range range;

	if (!begin(view, &table, &range, thread_columns, request, answer))
		return NULL;
	if (!http_request_text(request, "sort"))
		table.query.sort = 4;
	for (uint32_t id = 1; id <= store_n_tracks(view->store); id++) {
		const struct store_track *track = store_track(view->store, id);

		if (track && track->def.type == TRACK_THREAD)
			put_thread(view, &table, track, &range);
	}
	view_table_finish(&table, answer);
	view_table_done(&table);
	return NULL;
}

struct http_job *table_losses(struct view *view, const struct http_request *request, struct http_answer *answer)
{
	size_t n;
	const struct store_instant *instants = store_instants(view->store, &n);
	struct view_table table;
	struct range range;

	if (!begin(view, &table, &range, loss_columns, request, answer))
		return NULL;
	if (!http_request_text(request, "sort") && !http_request_text(request, "dir"))
		table.query.is_ascending = true;
	for (size_t i = 0; i < n; i++) {
		const struct store_instant *own = &instants[i];
		const char *where = view_name(view, store_text(store_arg(view->store, own->args, KEY_WHERE)));
		struct view_table_cell *cell;

		if (own->kind != KIND_LOST || own->time_ns < range.from_ns || own->time_ns >= range.to_ns ||
		    !view_table_wants(&table, NULL, where, NULL))
			continue;
		cell = view_table_row(&table);
		if (!cell)
			continue;
		cell[0] = view_table_number(view_time(view, own->time_ns));
		cell[1] = view_table_number((double)store_int(store_arg(view->store, own->args, KEY_COUNT), 0));
		cell[2] = view_table_text(where);
		cell[3] = view_table_number(pid_of(view, own->track));
	}
	view_table_finish(&table, answer);
	view_table_done(&table);
	return NULL;
}
