// SPDX-License-Identifier: Apache-2.0
/* Collects latencies by model; see latencies.h. */
#include "show/view/latencies.h"

#include <stdlib.h>
#include <string.h>

enum { EXACT = 131072 }; /* as in the report */

static struct latency *find_row(struct latencies *to, const struct store_track *track, size_t at)
{
	uint32_t model = to->as_one ? 0 : model_of(to->scan.view, &to->cache, track, at);
	uint32_t process = to->as_one ? 0 : store_process_of(to->scan.view->store, track->id);
	uint32_t number = keys_number(&to->keys, model, process);
	struct latency *row;

	if (number == KEYS_NONE)
		return NULL;
	if (number < to->rows.n)
		return (struct latency *)to->rows.data + number;
	row = array_add(&to->rows, sizeof *row);
	if (row)
		*row = (struct latency){
			.model = model, .process = process, .first_ns = UINT64_MAX, .stats.limit = EXACT
		};
	return row;
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

static void take(struct view_scan *scan, const struct store_track *track, size_t at, size_t end)
{
	struct latencies *to = (struct latencies *)scan;
	const struct store_slices *slices = &track->slices;

	for (; at < end && !scan->has_failed; at++) {
		struct latency *row;

		if ((slices->kind[at] != KIND_INFERENCE && (slices->kind[at] != KIND_SESSION || to->as_one)) ||
		    !is_wanted(to, track, at))
			continue;
		row = find_row(to, track, at);
		if (row && slices->kind[at] == KIND_SESSION) {
			row->n_sessions++;
			if (slices->end_ns[at] != STORE_OPEN)
				row->creation_ns += slices->end_ns[at] - slices->begin_ns[at];
		}
		scan->has_failed = !row || (slices->kind[at] == KIND_INFERENCE && take_inference(to, row, track, at));
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
	array_done(&to->rows, sizeof(struct latency));
}

void *latencies_new(struct view *view, size_t size, const struct http_request *request, struct http_answer *answer)
{
	const char *model = http_request_text(request, "model");
	struct latencies *to = view_scan_new(view, size, request, answer);

	if (!to)
		return NULL;
	snprintf(to->model, sizeof to->model, "%s", model ? model : "");
	to->scan.take = take;
	to->scan.finish = finish;
	to->scan.done = done;
	return to;
}
