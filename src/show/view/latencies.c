// SPDX-License-Identifier: Apache-2.0
/* Collects latencies; see view_scan.h. */
#include <stdlib.h>
#include <string.h>

#include "analyze/store/shapes.h"
#include "show/view/view_scan.h"

enum { EXACT = 131072 }; /* as in the report */

/* A process without a name is a program of its own, as in the report. */
static uint64_t program_of(const struct latencies *to, uint32_t process)
{
	const struct store_track *track = store_track(to->scan.view->store, process);

	return to->by != LATENCIES_BY_PROCESS && track && track->def.name ? track->def.name
									  : UINT64_C(1) << 32 | process;
}

/* like: a new row, with its model, process and group. */
static struct latency *row_of(struct latencies *to, uint32_t number, const struct latency *like)
{
	struct latency *row = number < to->rows.n ? (struct latency *)to->rows.data + number : NULL;
	uint32_t n = to->members.n;

	if (number == KEYS_NONE || keys_number(&to->members, number, like->process) == KEYS_NONE)
		return NULL;
	if (!row && (row = array_add(&to->rows, sizeof *row)))
		*row = *like;
	if (row)
		row->n_processes += to->members.n - n;
	return row;
}

/* part: what tells rows of a model apart. */
static struct latency *find_row(struct latencies *to, const struct store_track *track, size_t at, uint32_t part)
{
	struct latency like = { .first_ns = UINT64_MAX, .stats.limit = EXACT };

	if (to->by != LATENCIES_AS_ONE) {
		like.process = store_process_of(to->scan.view->store, track->id);
		like.model = model_of(to->scan.view, &to->cache, track, at);
		like.group = keys_number(&to->groups, like.model, program_of(to, like.process));
	}
	return like.group != KEYS_NONE ? row_of(to, keys_number(&to->keys, like.group, part), &like) : NULL;
}

static bool is_wanted(struct latencies *to, const struct store_track *track, size_t at)
{
	return !*to->model ||
	       !strcmp(to->model, view_name(to->scan.view, model_of(to->scan.view, &to->cache, track, at)));
}

static int take_inference(struct latencies *to, struct latency *row, const struct store_track *track, size_t at)
{
	const struct store_slices *slices = &track->slices;
	uint64_t begin_ns = slices->begin_ns[at], end_ns = slices->end_ns[at];

	row->n++;
	row->first_ns = begin_ns < row->first_ns ? begin_ns : row->first_ns;
	if (end_ns == STORE_OPEN) {
		row->n_open++;
		return 0;
	}
	row->last_ns = end_ns > row->last_ns ? end_ns : row->last_ns;
	row->wall_ns += end_ns - begin_ns;
	if (model_counts(to->scan.view, track, at))
		return stats_add(&row->stats, end_ns - begin_ns);
	row->n_failed += model_failed(to->scan.view, track, at);
	return 0;
}

static void take_session(struct latency *row, const struct store_slices *slices, size_t at)
{
	row->n_sessions++;
	if (slices->end_ns[at] != STORE_OPEN)
		row->creation_ns += slices->end_ns[at] - slices->begin_ns[at];
}

/* Only what the table of sizes has: see LATENCIES_BY_SIZE. */
static bool take_size(struct latencies *to, const struct store_track *track, size_t at)
{
	const struct view *view = to->scan.view;
	uint32_t shapes =
	    model_counts(view, track, at) ? store_text(store_slice_arg(view->store, track, at, KEY_SHAPES)) : 0;
	uint64_t elements;
	uint32_t size = shapes ? shapes_size(view_name(view, shapes), &elements) : 0;
	struct latency *row;

	if (!size)
		return true;
	row = find_row(to, track, at, size);
	if (!row)
		return false;
	row->shapes = row->shapes ? row->shapes : shapes;
	row->elements += elements;
	return !take_inference(to, row, track, at);
}

static bool take_one(struct latencies *to, const struct store_track *track, size_t at)
{
	struct latency *row;

	if (to->by == LATENCIES_BY_SIZE)
		return take_size(to, track, at);
	row = find_row(to, track, at, 0);
	if (row && track->slices.kind[at] == KIND_SESSION)
		take_session(row, &track->slices, at);
	return row && (track->slices.kind[at] != KIND_INFERENCE || !take_inference(to, row, track, at));
}

static void take(struct view_scan *scan, const struct store_track *track, size_t at, size_t end)
{
	struct latencies *to = (struct latencies *)scan;
	bool has_sessions = to->by == LATENCIES_BY_MODEL || to->by == LATENCIES_BY_PROCESS;

	for (; at < end && !scan->has_failed; at++) {
		uint8_t kind = track->slices.kind[at];

		if ((kind == KIND_INFERENCE || (kind == KIND_SESSION && has_sessions)) && is_wanted(to, track, at))
			scan->has_failed = !take_one(to, track, at);
	}
}

static void finish(struct view_scan *scan, struct http_answer *answer)
{
	struct latencies *to = (struct latencies *)scan;

	to->finished(to, answer);
}

static void done(struct view_scan *scan)
{
	struct latencies *to = (struct latencies *)scan;

	if (to->freed)
		to->freed(to);
	for (size_t i = 0; i < to->rows.n; i++)
		stats_done(&((struct latency *)to->rows.data)[i].stats);
	keys_done(&to->keys);
	keys_done(&to->groups);
	keys_done(&to->members);
	array_done(&to->rows, sizeof(struct latency));
}

void *latencies_new(struct view *view, size_t size, enum latencies_by by, const struct http_request *request,
		    struct http_answer *answer)
{
	const char *model = http_request_text(request, "model");
	struct latencies *to = view_scan_new(view, size, request, answer);

	if (!to)
		return NULL;
	to->by = by;
	snprintf(to->model, sizeof to->model, "%s", model ? model : "");
	to->scan.take = take;
	to->scan.finish = finish;
	to->scan.done = done;
	return to;
}
