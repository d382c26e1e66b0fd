// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "show/view/view_in.h"
#include "show/view/view_samples.h"

enum { MOST = 1 << 20 /* inferences, at a time */ };

/* Inferences of several lanes come within this time. */
static const uint64_t late_ns = 200000000;
/* What makes no token for so long has ended, as far as a live page can tell. */
static const uint64_t silent_ns = 2000000000;

/* A line, and the generation on it: another one may follow once nothing more is known of that. */
struct lane {
	uint32_t process, group, track, number;
	uint64_t generation;
	uint64_t until_ns;
	bool is_open; /* its slice */
};

static struct lane *lane_at(const struct view_generations *from, size_t i)
{
	return (struct lane *)from->lanes.data + i;
}

static uint32_t define(struct sink *to, enum track_type type, uint32_t parent, const char *name)
{
	struct track_def def = { .type = type, .parent = parent, .name = names_of(to->names, name) };
	uint32_t track = sink_new_track(to);

	return sink_put(to, &(struct event){ .type = EVENT_TRACK, .track = track, .def = &def }, NULL) ? 0 : track;
}

static void close_slice(const struct view_generations *from, struct lane *lane)
{
	if (lane->is_open && store_track(from->store, lane->track))
		view_slice_end(store_sink(from->store), lane->track, lane->until_ns);
	lane->is_open = false;
}

/* NULL: out of memory. */
static struct lane *new_lane(struct view_generations *to, uint32_t process)
{
	struct sink *sink = store_sink(to->store);
	struct lane own = { .process = process, .number = 1 }, *lane;
	char name[32];

	for (size_t i = 0; i < to->lanes.n; i++)
		if (lane_at(to, i)->process == process) {
			own.group = lane_at(to, i)->group;
			own.number++;
		}
	if (!own.group)
		own.group = define(sink, TRACK_GROUP, process, "requests");
	snprintf(name, sizeof name, "requests %u", own.number);
	if (own.group)
		own.track = define(sink, TRACK_LANE, own.group, name);
	lane = own.track ? array_add(&to->lanes, sizeof *lane) : NULL;
	if (lane)
		*lane = own;
	return lane;
}

/* An inference of a generation. */
struct part {
	uint64_t generation, begin_ns, end_ns;
	uint32_t process, model, n_in;
	bool is_token;
};

/* Parts that are to be put, and which of them is the last one of each generation. */
struct parts {
	const struct part *at;
	uint32_t *last; /* by generation, from `least` on: number of the part, from 1 */
	uint64_t least;
	size_t n;
};

static bool goes_on(const struct parts *parts, uint64_t generation, size_t from)
{
	return generation >= parts->least && parts->last[generation - parts->least] > from;
}

/* The line that a generation has, or gets. */
static struct lane *lane_of(struct view_generations *to, const struct parts *parts, size_t i)
{
	const struct part *part = &parts->at[i];
	struct lane *found = NULL;

	for (size_t k = 0; k < to->lanes.n; k++) {
		struct lane *lane = lane_at(to, k);

		if (lane->generation == part->generation)
			return lane;
		if (!found && lane->process == part->process && lane->until_ns <= part->begin_ns &&
		    !goes_on(parts, lane->generation, i))
			found = lane;
	}
	if (found)
		close_slice(to, found);
	else
		found = new_lane(to, part->process);
	if (found)
		found->generation = part->generation;
	return found;
}

static void put_part(const struct view_generations *to, struct lane *lane, const struct part *part)
{
	struct sink *sink = store_sink(to->store);
	uint64_t begin_ns = part->begin_ns > lane->until_ns ? part->begin_ns : lane->until_ns;
	char name[48];

	if (!store_track(to->store, lane->track))
		return;
	if (!lane->is_open)
		view_slice_begin(sink, lane->track, begin_ns, part->model, "generation");
	lane->is_open = true;
	snprintf(name, sizeof name, part->n_in ? "prefill of %u" : "encoder", part->n_in);
	view_slice_begin(sink, lane->track, begin_ns, names_of(sink->names, part->is_token ? "token" : name),
			 part->is_token ? "token" : "prefill");
	lane->until_ns = part->end_ns > begin_ns ? part->end_ns : begin_ns;
	view_slice_end(sink, lane->track, lane->until_ns);
}

static void put_parts(struct view_generations *to)
{
	struct parts parts = { .at = to->parts.data, .n = to->parts.n, .least = UINT64_MAX };
	uint64_t most = 0;

	for (size_t i = 0; i < parts.n; i++) {
		parts.least = parts.at[i].generation < parts.least ? parts.at[i].generation : parts.least;
		most = parts.at[i].generation > most ? parts.at[i].generation : most;
	}
	parts.last = parts.n ? calloc(most - parts.least + 1, sizeof *parts.last) : NULL;
	for (size_t i = 0; parts.last && i < parts.n; i++)
		parts.last[parts.at[i].generation - parts.least] = (uint32_t)i + 1;
	for (size_t i = 0; parts.last && i < parts.n; i++) {
		struct lane *lane = lane_of(to, &parts, i);

		if (lane)
			put_part(to, lane, &parts.at[i]);
	}
	free(parts.last);
	array_done(&to->parts, sizeof(struct part));
}

static void take_made(void *ctx, const struct generation_made *made)
{
	struct view_generations *to = ctx;
	struct part *part = made->part ? array_add(&to->parts, sizeof *part) : NULL;

	if (part)
		*part = (struct part){ .generation = made->generation,
				       .begin_ns = made->part->begin_ns,
				       .end_ns = made->part->end_ns,
				       .process = made->process,
				       .model = made->model,
				       .n_in = made->n_in,
				       .is_token = made->n != 0 };
}

/* An inference to be looked at. */
struct found {
	uint64_t end_ns;
	uint32_t track, row;
	bool is_call; /* comes behind the inferences in it, of which the last may end with it */
};

static int by_end(const void *a_, const void *b_)
{
	const struct found *a = a_, *b = b_;

	if (a->end_ns != b->end_ns)
		return a->end_ns < b->end_ns ? -1 : 1;
	if (a->is_call != b->is_call)
		return a->is_call ? 1 : -1;
	return (a->row > b->row) - (a->row < b->row);
}

static uint32_t text_at(const struct store *store, const struct found *at, enum event_key key)
{
	return store_text(store_slice_arg(store, store_track(store, at->track), at->row, key));
}

/* Those of a line that end later than what was looked at. 0 or -ENOMEM. */
static int find_on(const struct view_generations *from, uint32_t id, uint64_t until_ns, struct array *to)
{
	const struct store_track *track = store_track(from->store, id);
	const struct store_slices *slices = &track->slices;

	for (size_t i = slices->n; i-- > 0 && to->n < MOST;) {
		const struct found own = { slices->end_ns[i], id, (uint32_t)i, slices->kind[i] == KIND_TOKENS };
		struct found *row;

		if (slices->kind[i] != KIND_INFERENCE && slices->kind[i] != KIND_TOKENS)
			continue;
		if (own.end_ns <= from->until_ns)
			break;
		if (own.end_ns > until_ns ||
		    (slices->kind[i] == KIND_INFERENCE && !text_at(from->store, &own, KEY_SHAPES) &&
		     !text_at(from->store, &own, KEY_SEQUENCES)))
			continue;
		row = array_add(to, sizeof *row);
		if (!row)
			return -1;
		*row = own;
	}
	return 0;
}

static uint64_t count_at(const struct store *store, const struct found *at, enum event_key key)
{
	int64_t value = store_int(store_slice_arg(store, store_track(store, at->track), at->row, key), 0);

	return value > 0 ? (uint64_t)value : 0;
}

static void look_at_call(const struct view_generations *from, const struct found *at)
{
	const struct store *store = from->store;
	const struct store_track *track = store_track(store, at->track);
	const struct generation_call call = {
		.process = store_process_of(store, at->track),
		.thread = store_int(store_slice_arg(store, track, at->row, KEY_TID), -1),
		.generator = count_at(store, at, KEY_ID),
		.name = names_text(store_names(store), track->slices.name[at->row]),
		.begin_ns = track->slices.begin_ns[at->row],
		.end_ns = at->end_ns,
		.n_tokens = count_at(store, at, KEY_BATCH),
	};

	if (call.process)
		generations_call(from->finder, &call);
}

static void look_at(const struct view_generations *from, const struct found *at)
{
	const struct store *store = from->store;
	const struct store_track *track = store_track(store, at->track);
	uint32_t status = text_at(store, at, KEY_STATUS), shapes = text_at(store, at, KEY_SHAPES);
	uint32_t sequences = text_at(store, at, KEY_SEQUENCES), model = text_at(store, at, KEY_MODEL);
	struct generation_run run = {
		.process = store_process_of(store, at->track),
		.model = model ? model : track->slices.name[at->row],
		.session = store_int(store_slice_arg(store, track, at->row, KEY_SESSION), -1),
		.thread = store_int(store_slice_arg(store, track, at->row, KEY_TID), -1),
		.begin_ns = track->slices.begin_ns[at->row],
		.end_ns = at->end_ns,
		.number = track->slices.inference[at->row],
		.follows = (uint64_t)store_int(store_slice_arg(store, track, at->row, KEY_FOLLOWS), 0),
		.shapes = shapes ? names_text(store_names(store), shapes) : NULL,
		.sequences = sequences ? names_text(store_names(store), sequences) : NULL,
	};

	if (at->is_call)
		look_at_call(from, at);
	else if (run.process && (!status || !strcmp(names_text(store_names(store), status), "ok")))
		generations_take(from->finder, &run);
}

void view_generations_take(struct view_generations *to, struct store *store, bool is_over)
{
	uint64_t now_ns = store_counts(store)->last_ns;
	uint64_t until_ns = is_over ? STORE_OPEN - 1 : now_ns > late_ns ? now_ns - late_ns : 0;
	struct array found = { 0 };
	int rc = 0;

	if (!to->finder && !(to->finder = generations_watch(take_made, to)))
		return;
	to->store = store;
	for (uint32_t id = 1; !rc && id <= store_n_tracks(store); id++)
		if (store_has_kind(store_track(store, id), KIND_INFERENCE) ||
		    store_has_kind(store_track(store, id), KIND_TOKENS))
			rc = find_on(to, id, until_ns, &found);
	if (found.n)
		qsort(found.data, found.n, sizeof(struct found), by_end);
	for (size_t i = 0; i < found.n; i++)
		look_at(to, (struct found *)found.data + i);
	to->until_ns = until_ns;
	array_done(&found, sizeof(struct found));
	put_parts(to);
	for (size_t i = 0; i < to->lanes.n; i++)
		if (is_over || lane_at(to, i)->until_ns + silent_ns < now_ns)
			close_slice(to, lane_at(to, i));
}

void view_generations_done(struct view_generations *from)
{
	generations_free(from->finder);
	array_done(&from->lanes, sizeof(struct lane));
}
