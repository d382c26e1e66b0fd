// SPDX-License-Identifier: Apache-2.0
/*
 * The table of inferences. A recording may have millions: those that were asked for are kept in a heap, whose first
 * is the one that goes next.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/store/shapes.h"
#include "show/view/view_scan.h"
#include "show/view/view_table.h"

enum { ELEMENTS = 7, LAST_SORTED = 11 };

static const struct view_table_column columns[] = {
	{ "begin", "Begin", "ns", "time" },
	{ "duration", "Duration", "ns", "number" },
	{ "model", "Model", "", "text" },
	{ "id", "Number", "", "number" },
	{ "session", "Session", "", "number" },
	{ "provider", "Provider", "", "text" },
	{ "batch", "Batch", "", "number" },
	{ "elements", "Input elements", "", "number" },
	{ "thread_cpu_ns", "CPU time", "ns", "number" },
	{ "run_queue_ns", "Waited for a CPU", "ns", "number" },
	{ "faults", "Page faults", "", "number" },
	{ "first", "First of its session", "", "number" },
	{ "status", "Status", "", "text" },
	{ "pid", "Process", "", "number" },
	{ "row", "Row", "", "number" },
	{ "index", "Slice", "", "number" },
	{ NULL },
};

struct found {
	double key;
	uint32_t track;
	size_t at;
};

struct inferences {
	struct view_scan scan;
	struct view_table table;
	struct model_cache cache;
	struct found *best; /* heap */
	size_t n, limit;
	double min_ns, max_ns; /* of their durations */
	bool is_within;	       /* these are to be looked at */
};

static double arg_of(const struct view *view, const struct store_track *track, size_t at, enum event_key key)
{
	const struct arg *arg = store_slice_arg(view->store, track, at, key);

	return arg && arg->type == ARG_INT ? (double)arg->integer : NAN;
}

static double elements_of(const struct view *view, const struct store_track *track, size_t at)
{
	uint32_t shapes = store_text(store_slice_arg(view->store, track, at, KEY_SHAPES));
	uint64_t elements = shapes ? shapes_elements(view_name(view, shapes)) : 0;

	return elements ? (double)elements : NAN;
}

/* One that did not end lasts as long as it does in the timeline. */
static double duration(const struct view *view, const struct store_track *track, size_t at)
{
	uint32_t n_rows, number = pyramid_rows_of(view->pyramid, track->id, &n_rows) + track->slices.depth[at];
	const struct pyramid_row *row = pyramid_row(view->pyramid, number);

	return (double)(pyramid_slice_end(row, pyramid_slice_at(row, at)) - track->slices.begin_ns[at]);
}

static const char *status_of(const struct view *view, const struct store_track *track, size_t at)
{
	return track->slices.end_ns[at] == STORE_OPEN
		   ? "did not end"
		   : view_name(view, store_text(store_slice_arg(view->store, track, at, KEY_STATUS)));
}

static bool is_text(uint32_t column)
{
	return !strcmp(columns[column].type, "text");
}

/* Of the columns that can be sorted by. */
static double number_of(const struct view *view, const struct store_track *track, size_t at, uint32_t column)
{
	static const enum event_key keys[] = {
		[3] = KEY_ID,		[4] = KEY_SESSION, [6] = KEY_BATCH,  [8] = KEY_THREAD_CPU_NS,
		[9] = KEY_RUN_QUEUE_NS, [10] = KEY_FAULTS, [11] = KEY_FIRST, [12] = KEY_NONE,
	};

	if (!column)
		return view_time(view, track->slices.begin_ns[at]);
	if (column == 1)
		return duration(view, track, at);
	if (column == ELEMENTS)
		return elements_of(view, track, at);
	return column < sizeof keys / sizeof *keys && keys[column] ? arg_of(view, track, at, keys[column]) : NAN;
}

/* Whether a comes behind b in the answer. What is missing comes last. */
static bool is_worse(const struct inferences *to, const struct found *a, const struct found *b)
{
	if (isnan(a->key) || isnan(b->key))
		return isnan(a->key) && !isnan(b->key);
	return to->table.query.is_ascending ? a->key > b->key : a->key < b->key;
}

static void sink_down(struct inferences *to, size_t i)
{
	for (size_t child = 2 * i + 1; child < to->n; child = 2 * i + 1) {
		struct found swap = to->best[i];

		child += child + 1 < to->n && is_worse(to, &to->best[child + 1], &to->best[child]);
		if (!is_worse(to, &to->best[child], &to->best[i]))
			return;
		to->best[i] = to->best[child];
		to->best[child] = swap;
		i = child;
	}
}

static void keep(struct inferences *to, const struct found *found)
{
	size_t i = to->n;

	if (to->n == to->limit) {
		if (to->limit && is_worse(to, &to->best[0], found)) {
			to->best[0] = *found;
			sink_down(to, 0);
		}
		return;
	}
	for (to->n++; i && is_worse(to, found, &to->best[(i - 1) / 2]); i = (i - 1) / 2)
		to->best[i] = to->best[(i - 1) / 2];
	to->best[i] = *found;
}

static bool lasts(const struct inferences *to, const struct store_track *track, size_t at)
{
	double ns = to->is_within ? duration(to->scan.view, track, at) : 0;

	return !to->is_within || (ns >= to->min_ns && ns <= to->max_ns);
}

static void take(struct view_scan *scan, const struct store_track *track, size_t at, size_t end)
{
	struct inferences *to = (struct inferences *)scan;
	const struct view *view = scan->view;

	for (; at < end; at++) {
		const char *model, *status;

		if (track->slices.kind[at] != KIND_INFERENCE)
			continue;
		model = view_name(view, model_of(view, &to->cache, track, at));
		status = status_of(view, track, at);
		if (!view_table_wants(&to->table, model, model, status) || !lasts(to, track, at))
			continue;
		to->table.n_rows++;
		keep(to, &(struct found){ number_of(view, track, at, to->table.query.sort), track->id, at });
	}
}

static void fill(struct inferences *to, const struct found *found, struct view_table_cell *cell)
{
	const struct view *view = to->scan.view;
	const struct store_track *track = store_track(view->store, found->track), *process;
	uint32_t n_rows, row = pyramid_rows_of(view->pyramid, track->id, &n_rows) + track->slices.depth[found->at];

	for (uint32_t i = 0; i < to->table.n_columns; i++)
		cell[i] = is_text(i) ? view_table_text(NULL) : view_table_number(number_of(view, track, found->at, i));
	cell[2] = view_table_text(view_name(view, model_of(view, &to->cache, track, found->at)));
	cell[5] =
	    view_table_text(view_name(view, store_text(store_slice_arg(view->store, track, found->at, KEY_PROVIDER))));
	cell[12] = view_table_text(status_of(view, track, found->at));
	process = store_track(view->store, store_process_of(view->store, track->id));
	cell[13] = view_table_number(process ? process->def.pid : NAN);
	cell[14] = view_table_number(row);
	cell[15] = view_table_number(pyramid_slice_at(pyramid_row(view->pyramid, row), found->at));
}

static void finish(struct view_scan *scan, struct http_answer *answer)
{
	struct inferences *to = (struct inferences *)scan;
	size_t n = to->n, offset = to->table.query.offset, n_out = n > offset ? n - offset : 0;
	struct view_table_cell *cells = calloc(n_out + 1, to->table.n_columns * sizeof *cells);

	/* the worst first, from the end on */
	while (cells && to->n) {
		struct found worst = to->best[0];

		to->best[0] = to->best[--to->n];
		sink_down(to, 0);
		if (to->n >= offset)
			fill(to, &worst, cells + (to->n - offset) * to->table.n_columns);
	}
	to->table.has_failed = !cells;
	view_table_write(&to->table, cells, n_out, answer);
	free(cells);
}

static void done(struct view_scan *scan)
{
	free(((struct inferences *)scan)->best);
}

struct http_job *table_inferences(struct view *view, const struct http_request *request, struct http_answer *answer)
{
	struct inferences *to = view_scan_new(view, sizeof *to, request, answer);
	const char *sort = http_request_text(request, "sort");

	if (!to)
		return NULL;
	if (!view_table_init(&to->table, columns, request, answer)) {
		free(to);
		return NULL;
	}
	if (!sort)
		to->table.query.sort = 1;
	if (is_text(to->table.query.sort) || to->table.query.sort > LAST_SORTED) {
		http_say(answer, 400, "inferences cannot be sorted by this column");
		free(to);
		return NULL;
	}
	to->max_ns = INFINITY;
	if (!http_request_real(request, "min", &to->min_ns) || !http_request_real(request, "max", &to->max_ns)) {
		http_say(answer, 400, "min and max must be durations in nanoseconds");
		free(to);
		return NULL;
	}
	to->is_within = to->min_ns > 0 || to->max_ns < INFINITY;
	to->limit = (size_t)to->table.query.limit + to->table.query.offset;
	to->best = malloc((to->limit + 1) * sizeof *to->best);
	to->scan.has_failed = !to->best;
	to->scan.take = take;
	to->scan.finish = finish;
	to->scan.done = done;
	return &to->scan.job;
}
