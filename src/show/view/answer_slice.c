// SPDX-License-Identifier: Apache-2.0
/* One slice with all that is known of it, by its number in its row, by a time, or as the next of its name. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "show/view/view_scan.h"

static void put_args(struct view *view, struct json *json, uint32_t list)
{
	uint32_t n;
	const struct arg *arg = store_args(view->store, list, &n);

	for (uint32_t i = 0; i < n; i++) {
		const char *key = event_key_name((enum event_key)arg[i].key);

		if (arg[i].type == ARG_INT)
			json_int(json, key, arg[i].integer);
		else if (arg[i].type == ARG_REAL)
			json_real(json, key, arg[i].real);
		else
			json_text(json, key, view_name(view, arg[i].name));
	}
}

/* The slice of the row above that it lies in; false: it lies in none. */
static bool find_parent(const struct view *view, uint32_t row_number, uint64_t begin_ns, uint64_t end_ns,
			uint32_t *parent)
{
	const struct pyramid_row *row = pyramid_row(view->pyramid, row_number);
	const struct pyramid_row *above = row->depth ? pyramid_row(view->pyramid, row_number - 1) : NULL;
	uint32_t after;

	if (!above)
		return false;
	after = pyramid_first_from(above, begin_ns + 1);
	*parent = after - 1;
	return after && pyramid_slice_end(above, after - 1) >= end_ns;
}

static uint64_t children_ns(const struct view *view, uint32_t row_number, uint64_t begin_ns, uint64_t end_ns)
{
	const struct pyramid_row *row = pyramid_row(view->pyramid, row_number);
	const struct pyramid_row *below = pyramid_row(view->pyramid, row_number + 1);
	uint64_t covered_ns;

	if (!below || below->track != row->track)
		return 0;
	covered_ns = pyramid_covered(below, pyramid_first_from(below, begin_ns), pyramid_first_from(below, end_ns));
	return covered_ns < end_ns - begin_ns ? covered_ns : end_ns - begin_ns;
}

static void put_slice(struct view *view, struct json *json, uint32_t row_number, uint32_t slice)
{
	const struct pyramid_row *row = pyramid_row(view->pyramid, row_number);
	const struct store_slices *slices = &row->track->slices;
	size_t at = pyramid_at(row, slice);
	uint64_t begin_ns = slices->begin_ns[at], end_ns = pyramid_slice_end(row, slice);
	uint16_t class = pyramid_class_of(view->pyramid, slices, at);
	uint32_t parent;

	json_object(json, NULL);
	json_count(json, "row", row_number);
	json_count(json, "index", slice);
	json_text(json, "name", view_name(view, slices->name[at]));
	json_count(json, "name_number", slices->name[at]);
	json_text(json, "kind", event_kind_name((enum event_kind)slices->kind[at]));
	json_count(json, "class", class);
	view_put_time(view, json, "begin", begin_ns);
	view_put_time(view, json, "end", end_ns);
	json_bool(json, "cut", pyramid_is_open(row, slice));
	json_count(json, "track", row->track->id);
	json_object(json, "args");
	put_args(view, json, slices->args[at]);
	put_args(view, json, slices->own_args ? slices->own_args[at] : 0);
	json_end(json, '}');
	if (find_parent(view, row_number, begin_ns, end_ns, &parent)) {
		json_object(json, "parent");
		json_count(json, "row", row_number - 1);
		json_count(json, "index", parent);
		json_end(json, '}');
	} else {
		json_null(json, "parent");
	}
	if (slices->inference[at])
		json_count(json, "inference", slices->inference[at]);
	else
		json_null(json, "inference");
	json_count(json, "self_ns", end_ns - begin_ns - children_ns(view, row_number, begin_ns, end_ns));
	json_end(json, '}');
}

void view_answer_slice(struct view *view, uint32_t row, uint32_t slice, struct http_answer *answer)
{
	struct view_text text;

	view_text_begin(&text);
	if (text.out)
		put_slice(view, &text.json, row, slice);
	view_text_end(&text, answer);
}

/* NULL: the answer says that there is no such row. */
static const struct pyramid_row *find_row(const struct view *view, const struct http_request *request, uint64_t *number,
					  struct http_answer *answer)
{
	const struct pyramid_row *row;

	*number = UINT32_MAX;
	if (!http_request_count(request, "row", UINT32_MAX, number)) {
		http_say(answer, 400, "row must be the number of a row");
		return NULL;
	}
	row = pyramid_row(view->pyramid, (uint32_t)*number);
	if (!row)
		http_say(answer, 404, "the recording has %u rows", pyramid_n_rows(view->pyramid));
	return row;
}

const struct pyramid_row *view_find_slice(const struct view *view, const struct http_request *request, uint32_t *number,
					  uint32_t *slice, struct http_answer *answer)
{
	uint64_t row_number, index = UINT32_MAX;
	const struct pyramid_row *row = find_row(view, request, &row_number, answer);

	if (!row)
		return NULL;
	if (!http_request_count(request, "index", UINT32_MAX, &index))
		http_say(answer, 400, "index must be the number of a slice in its row");
	else if (index >= row->n)
		http_say(answer, 404, "the row has %u slices", row->n);
	else {
		*number = (uint32_t)row_number;
		*slice = (uint32_t)index;
		return row;
	}
	return NULL;
}

VIEW_ANSWER(slice)
{
	uint32_t number, index;

	if (view_find_slice(view, request, &number, &index, answer))
		view_answer_slice(view, number, index, answer);
	return NULL;
}

/* How far a slice is from a time; 0: it covers it. */
static double distance(const struct view *view, const struct pyramid_row *row, uint32_t slice, double ns)
{
	double begin = view_time(view, pyramid_slice_begin(row, slice)),
	       end = view_time(view, pyramid_slice_end(row, slice));

	return ns < begin ? begin - ns : ns > end ? ns - end : 0;
}

/* Browsers note an error on their console, where there is none: whoever knows that it may be gone says none=1. */
static void say_none(const struct http_request *request, struct http_answer *answer)
{
	static char null[] = "null\n";

	if (http_request_text(request, "none"))
		*answer = (struct http_answer){ 200, "application/json", null, sizeof null - 1, true };
	else
		http_say(answer, 404, "nothing is there");
}

VIEW_ANSWER(at)
{
	double ns = NAN, within = 0, left = INFINITY, right = INFINITY;
	uint64_t number;
	const struct pyramid_row *row = find_row(view, request, &number, answer);
	uint32_t next;

	if (!row)
		return NULL;
	if (!http_request_real(request, "t", &ns) || isnan(ns) || !http_request_real(request, "within", &within)) {
		http_say(answer, 400, "t and within must be nanoseconds");
		return NULL;
	}
	next = pyramid_first_after(row, view_time_back(view, ns));
	if (next < row->n)
		right = distance(view, row, next, ns);
	if (next)
		left = distance(view, row, next - 1, ns);
	if (right > within && left > within)
		say_none(request, answer);
	else
		view_answer_slice(view, (uint32_t)number, left < right ? next - 1 : next, answer);
	return NULL;
}

/* The next slice of a name: each track is searched from the time on, no farther than what was found in others. */
struct find {
	struct view_scan scan;
	uint32_t name;
	bool is_backwards;
	const struct store_track *found;
	size_t found_at;
};

static void find_forwards(struct view_scan *scan, const struct store_track *track, size_t at, size_t end)
{
	struct find *find = (struct find *)scan;
	const uint32_t *name = track->slices.name;

	while (at < end && name[at] != find->name)
		at++;
	if (at == end)
		return;
	if (!find->found || track->slices.begin_ns[at] < find->found->slices.begin_ns[find->found_at]) {
		find->found = track;
		find->found_at = at;
		scan->to_ns = track->slices.begin_ns[at];
	}
	scan->at = track->slices.n; /* later ones of the track need not be looked at */
}

static void find_backwards(struct view_scan *scan, const struct store_track *track, size_t at, size_t end)
{
	struct find *find = (struct find *)scan;
	const uint32_t *name = track->slices.name;
	size_t first = at;

	while (end > first && name[end - 1] != find->name)
		end--;
	if (end == first)
		return;
	if (!find->found || track->slices.begin_ns[end - 1] >= find->found->slices.begin_ns[find->found_at]) {
		find->found = track;
		find->found_at = end - 1;
	}
}

static void finish_find(struct view_scan *scan, struct http_answer *answer)
{
	struct find *find = (struct find *)scan;
	uint32_t n, row;

	if (!find->found) {
		http_say(answer, 404, "no other slice has this name");
		return;
	}
	row = pyramid_rows_of(scan->view->pyramid, find->found->id, &n) + find->found->slices.depth[find->found_at];
	view_answer_slice(scan->view, row, pyramid_slice_at(pyramid_row(scan->view->pyramid, row), find->found_at),
			  answer);
}

VIEW_ANSWER(find)
{
	const char *dir = http_request_text(request, "dir");
	uint64_t name = 0;
	double after = -1;
	struct find *find;

	if (!http_request_count(request, "name", UINT32_MAX, &name) || !http_request_real(request, "after", &after) ||
	    (dir && strcmp(dir, "next") && strcmp(dir, "prev"))) {
		http_say(answer, 400, "name must be a number, after nanoseconds, dir next or prev");
		return NULL;
	}
	find = view_scan_new(view, sizeof *find, request, answer);
	if (!find)
		return NULL;
	find->name = (uint32_t)name;
	find->is_backwards = dir && !strcmp(dir, "prev");
	if (find->is_backwards)
		find->scan.to_ns = view_time_back(view, after);
	else if (after >= 0)
		find->scan.from_ns = view_time_back(view, after) + 1;
	find->scan.take = find->is_backwards ? find_backwards : find_forwards;
	find->scan.finish = finish_find;
	return &find->scan.job;
}
