// SPDX-License-Identifier: Apache-2.0
/* The table of sessions: each creation with what its time went to. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "show/view/view_table.h"

static const struct view_table_column columns[] = {
	{ "begin", "Begin", "ns", "time" },
	{ "model", "Model", "", "text" },
	{ "session", "Session", "", "number" },
	{ "duration", "Creation", "ns", "number" },
	{ "load_ns", "Load", "ns", "number" },
	{ "specialize_ns", "Specialise", "ns", "number" },
	{ "phase_ns", "Other phases", "ns", "number" },
	{ "unattributed_ns", "Unattributed", "ns", "number" },
	{ "providers", "Providers", "", "text" },
	{ "status", "Status", "", "text" },
	{ "pid", "Process", "", "number" },
	{ "row", "Row", "", "number" },
	{ "index", "Slice", "", "number" },
	{ NULL },
};

enum { DURATION = 3, LOAD, SPECIALIZE, PHASE, UNATTRIBUTED };

struct sessions {
	struct view_scan scan;
	struct view_table table;
	size_t row;	/* first cell of the creation that is open */
	bool is_open;	/* it has a row */
	uint32_t track; /* of it */
	unsigned depth;
	uint64_t end_ns;
};

static const char *text_of(const struct view *view, const struct store_track *track, size_t at, enum event_key key)
{
	return view_name(view, store_text(store_slice_arg(view->store, track, at, key)));
}

static void add_session(struct sessions *to, const struct store_track *track, size_t at)
{
	const struct view *view = to->scan.view;
	const struct store_slices *slices = &track->slices;
	const struct store_track *process = store_track(view->store, store_process_of(view->store, track->id));
	const char *model = text_of(view, track, at, KEY_MODEL), *status = text_of(view, track, at, KEY_STATUS);
	uint32_t n_rows, row = pyramid_rows_of(view->pyramid, track->id, &n_rows) + slices->depth[at];
	const struct pyramid_row *line = pyramid_row(view->pyramid, row);
	uint32_t slice = pyramid_slice_at(line, at);
	bool has_ended = slices->end_ns[at] != STORE_OPEN;
	struct view_table_cell *cell;

	status = has_ended ? status : "did not end";
	model = *model ? model : view_name(view, slices->name[at]);
	to->is_open = false;
	if (!view_table_wants(&to->table, model, model, status))
		return;
	cell = view_table_row(&to->table);
	if (!cell)
		return;
	cell[0] = view_table_number(view_time(view, slices->begin_ns[at]));
	cell[1] = view_table_text(model);
	cell[2] = view_table_number((double)store_int(store_slice_arg(view->store, track, at, KEY_SESSION), 0));
	cell[DURATION] = view_table_number((double)(pyramid_slice_end(line, slice) - slices->begin_ns[at]));
	cell[UNATTRIBUTED] = has_ended ? cell[DURATION] : view_table_number(NAN);
	cell[LOAD] = cell[SPECIALIZE] = cell[PHASE] = view_table_number(has_ended ? 0 : NAN);
	cell[8] = view_table_text(text_of(view, track, at, KEY_PROVIDERS));
	cell[9] = view_table_text(status);
	cell[10] = view_table_number(process ? process->def.pid : NAN);
	cell[11] = view_table_number(row);
	cell[12] = view_table_number(slice);
	to->row = to->table.cells.n - to->table.n_columns;
	to->is_open = has_ended;
	to->track = track->id;
	to->depth = slices->depth[at];
	to->end_ns = slices->end_ns[at];
}

/* Only what lies in the creation itself, so that the parts add up. */
static void add_part(struct sessions *to, const struct store_slices *slices, size_t at)
{
	struct view_table_cell *cell = (struct view_table_cell *)to->table.cells.data + to->row;
	double ns;
	int column;

	if (slices->depth[at] != to->depth + 1 || slices->end_ns[at] == STORE_OPEN)
		return;
	column = slices->kind[at] == KIND_LOAD ? LOAD : slices->kind[at] == KIND_SPECIALIZE ? SPECIALIZE : PHASE;
	ns = (double)(slices->end_ns[at] - slices->begin_ns[at]);
	cell[column].number += ns;
	cell[UNATTRIBUTED].number -= ns;
}

static void take(struct view_scan *scan, const struct store_track *track, size_t at, size_t end)
{
	struct sessions *to = (struct sessions *)scan;

	for (; at < end; at++) {
		if (track->slices.kind[at] == KIND_SESSION)
			add_session(to, track, at);
		else if (to->is_open && to->track == track->id && track->slices.begin_ns[at] < to->end_ns)
			add_part(to, &track->slices, at);
	}
}

static void finish(struct view_scan *scan, struct http_answer *answer)
{
	view_table_finish(&((struct sessions *)scan)->table, answer);
}

static void done(struct view_scan *scan)
{
	view_table_done(&((struct sessions *)scan)->table);
}

struct http_job *table_sessions(struct view *view, const struct http_request *request, struct http_answer *answer)
{
	struct sessions *to;
	struct view_table table;

	if (!view_table_init(&table, columns, request, answer))
		return NULL;
	if (!http_request_text(request, "sort") && !http_request_text(request, "dir"))
		table.query.is_ascending = true;
	to = view_scan_new(view, sizeof *to, request, answer);
	if (!to)
		return NULL;
	to->table = table;
	to->scan.take = take;
	to->scan.finish = finish;
	to->scan.done = done;
	return &to->scan.job;
}
