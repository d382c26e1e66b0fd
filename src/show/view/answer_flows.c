// SPDX-License-Identifier: Apache-2.0
/*
 * The slices that flows tie to one: all that have the same number of a flow, each tied to the next one in time, as
 * event/event.h says. Of a flow through very many slices only the neighbors are given. A flow may begin at an instant:
 * it belongs to the innermost slice around it.
 */
#include <stdlib.h>
#include <string.h>

#include "show/view/view_scan.h"

enum { MOST_TIES = 64, MOST_ENDS = 64 };

struct end {
	const struct store_track *track; /* NULL: there is none */
	size_t at;
	uint64_t time_ns;
	bool is_last; /* the flow ends there */
};

/* A number of a flow that the slice has, and all that have it: its own end, the nearest two, and all others. */
struct tie {
	int64_t id;
	struct end own, before, after, others[MOST_ENDS];
	uint32_t n_others; /* MOST_ENDS + 1: there are more */
};

struct flows {
	struct view_scan scan;
	const struct store_track *track; /* of the slice */
	size_t at;
	struct tie ties[MOST_TIES];
	uint32_t n_ties;
};

static bool is_flow(const struct arg *arg)
{
	return (arg->key == KEY_FLOW || arg->key == KEY_FLOW_END) && arg->type == ARG_INT;
}

static void add_own(struct flows *flows, uint32_t list, uint64_t time_ns)
{
	uint32_t n;
	const struct arg *arg = store_args(flows->scan.view->store, list, &n);

	for (uint32_t i = 0; i < n; i++) {
		uint32_t same = 0;

		if (!is_flow(&arg[i]))
			continue;
		while (same < flows->n_ties && flows->ties[same].id != arg[i].integer)
			same++;
		if (same < flows->n_ties || same == MOST_TIES)
			continue;
		flows->ties[same].id = arg[i].integer;
		flows->ties[same].own = (struct end){ flows->track, flows->at, time_ns, arg[i].key == KEY_FLOW_END };
		flows->n_ties++;
	}
}

/* The innermost slice of a track around a time; false: there is none. */
static bool find_innermost(const struct view *view, uint32_t track, uint64_t time_ns, size_t *at)
{
	uint32_t n, first = pyramid_rows_of(view->pyramid, track, &n);

	while (n-- > 0) {
		const struct pyramid_row *row = pyramid_row(view->pyramid, first + n);
		uint32_t slice = pyramid_first_after(row, time_ns);

		if (slice == row->n || pyramid_slice_begin(row, slice) > time_ns)
			continue;
		*at = pyramid_at(row, slice);
		return true;
	}
	return false;
}

static bool is_the_slice(const struct flows *flows, const struct store_track *track, size_t at)
{
	return track == flows->track && at == flows->at;
}

static void add_end(struct tie *tie, const struct end *end)
{
	if (end->time_ns < tie->own.time_ns) {
		if (!tie->before.track || tie->before.time_ns < end->time_ns)
			tie->before = *end;
	} else if (!tie->after.track || end->time_ns < tie->after.time_ns) {
		tie->after = *end;
	}
	if (tie->n_others < MOST_ENDS)
		tie->others[tie->n_others] = *end;
	if (tie->n_others <= MOST_ENDS)
		tie->n_others++;
}

static void look_at(struct flows *flows, struct end end, uint32_t list)
{
	uint32_t n;
	const struct arg *arg = store_args(flows->scan.view->store, list, &n);

	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; is_flow(&arg[i]) && k < flows->n_ties; k++) {
			end.is_last = arg[i].key == KEY_FLOW_END;
			if (flows->ties[k].id == arg[i].integer)
				add_end(&flows->ties[k], &end);
		}
}

static void take(struct view_scan *scan, const struct store_track *track, size_t at, size_t end)
{
	struct flows *flows = (struct flows *)scan;
	const struct store_slices *slices = &track->slices;

	for (; at < end; at++) {
		const struct end here = { track, at, slices->begin_ns[at], false };

		if (is_the_slice(flows, track, at))
			continue;
		look_at(flows, here, slices->args[at]);
		if (slices->own_args)
			look_at(flows, here, slices->own_args[at]);
	}
}

static void put_end(struct view *view, struct json *json, const char *key, const struct store_track *track, size_t at)
{
	uint32_t n, number = pyramid_rows_of(view->pyramid, track->id, &n) + track->slices.depth[at];
	const struct pyramid_row *row = pyramid_row(view->pyramid, number);
	uint32_t slice = pyramid_slice_at(row, at);

	json_object(json, key);
	json_count(json, "row", number);
	json_count(json, "index", slice);
	json_text(json, "name", view_name(view, track->slices.name[at]));
	json_text(json, "kind", event_kind_name((enum event_kind)track->slices.kind[at]));
	view_put_time(view, json, "begin", track->slices.begin_ns[at]);
	view_put_time(view, json, "end", pyramid_slice_end(row, slice));
	json_end(json, '}');
}

static void put_pair(struct view *view, struct json *json, const struct end *from, const struct end *to)
{
	if (!from->track || !to->track || from->is_last)
		return;
	json_object(json, NULL);
	put_end(view, json, "from", from->track, from->at);
	put_end(view, json, "to", to->track, to->at);
	json_end(json, '}');
}

static int by_time(const void *left, const void *right)
{
	const struct end *a = left, *b = right;

	return a->time_ns < b->time_ns ? -1 : a->time_ns > b->time_ns;
}

static void put_tie(struct view *view, struct json *json, const struct tie *tie)
{
	struct end all[MOST_ENDS + 1] = { tie->own };

	if (tie->n_others > MOST_ENDS) {
		put_pair(view, json, &tie->before, &tie->own);
		put_pair(view, json, &tie->own, &tie->after);
		return;
	}
	memcpy(all + 1, tie->others, tie->n_others * sizeof *all);
	qsort(all, tie->n_others + 1, sizeof *all, by_time);
	for (uint32_t i = 0; i < tie->n_others; i++)
		put_pair(view, json, &all[i], &all[i + 1]);
}

/* Instants are few, and looked at in one go: fills own ties, or the ends of others. */
static void take_instants(struct flows *flows, bool are_own)
{
	const struct view *view = flows->scan.view;
	size_t n, at;
	const struct store_instant *instant = store_instants(view->store, &n);

	for (size_t i = 0; i < n; i++) {
		const struct store_track *track = store_track(view->store, instant[i].track);

		if (!store_arg(view->store, instant[i].args, KEY_FLOW) &&
		    !store_arg(view->store, instant[i].args, KEY_FLOW_END))
			continue;
		if (!track || !find_innermost(view, track->id, instant[i].time_ns, &at))
			continue;
		if (is_the_slice(flows, track, at) != are_own)
			continue;
		if (are_own)
			add_own(flows, instant[i].args, instant[i].time_ns);
		else
			look_at(flows, (struct end){ track, at, instant[i].time_ns, false }, instant[i].args);
	}
}

static void finish(struct view_scan *scan, struct http_answer *answer)
{
	struct flows *flows = (struct flows *)scan;
	struct view_text text;

	take_instants(flows, false);
	view_text_begin(&text);
	if (text.out) {
		json_object(&text.json, NULL);
		json_array(&text.json, "flows");
		for (uint32_t i = 0; i < flows->n_ties; i++)
			put_tie(scan->view, &text.json, &flows->ties[i]);
		json_end(&text.json, ']');
		json_end(&text.json, '}');
	}
	view_text_end(&text, answer);
}

static void find_own(struct flows *flows)
{
	const struct store_slices *slices = &flows->track->slices;

	add_own(flows, slices->args[flows->at], slices->begin_ns[flows->at]);
	if (slices->own_args)
		add_own(flows, slices->own_args[flows->at], slices->begin_ns[flows->at]);
	take_instants(flows, true);
}

VIEW_ANSWER(flows)
{
	uint32_t number, slice;
	const struct pyramid_row *row = view_find_slice(view, request, &number, &slice, answer);
	struct flows *flows = row ? view_scan_new(view, sizeof *flows, request, answer) : NULL;

	if (!flows)
		return NULL;
	flows->track = row->track;
	flows->at = pyramid_at(row, slice);
	find_own(flows);
	/* without a number there is nothing to look for */
	if (!flows->n_ties)
		flows->scan.track = store_n_tracks(view->store) + 1;
	flows->scan.take = take;
	flows->scan.finish = finish;
	return &flows->scan.job;
}
