// SPDX-License-Identifier: Apache-2.0
/* Numbers the tracks of a live stream anew, and makes its store smaller in time. Keeps no events itself. */
#include "analyze/store/store_live.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"

enum { MOST_NAMES = 300000, LOOK_EVERY = 8192 };

struct numbered {
	uint32_t track; /* in the store; 0: none */
	uint64_t serial;
};

struct store_live {
	struct sink sink;
	struct store_live_opts opts;
	struct store *store;
	uint32_t last_track;  /* of the store */
	struct array numbers; /* struct numbered, by track of the stream */
	struct array free;    /* uint32_t: tracks of the store that are gone */
	uint64_t version;     /* of the store, when free was filled */
	uint32_t n_since;     /* events since its size was looked at */
	bool is_broken;	      /* memory was short */
	uint64_t n_left_out;
};

static struct numbered *number_of(struct store_live *live, uint32_t track)
{
	return track && track < live->numbers.n ? (struct numbered *)live->numbers.data + track : NULL;
}

static uint32_t track_of(struct store_live *live, uint32_t track)
{
	const struct numbered *number = number_of(live, track);

	return number ? number->track : 0;
}

/* Tracks that the store has dropped since; none is in use by the stream, which would have had to end it. */
static void find_free(struct store_live *live)
{
	if (live->version == store_version(live->store))
		return;
	live->version = store_version(live->store);
	live->free.n = 0;
	for (uint32_t id = 1; id <= live->last_track; id++) {
		uint32_t *to = store_track(live->store, id) ? NULL : array_add(&live->free, sizeof *to);

		if (to)
			*to = id;
	}
	/* a stream may define a process, and end it much later */
	for (size_t i = 0; i < live->numbers.n; i++) {
		struct numbered *number = (struct numbered *)live->numbers.data + i;

		if (number->track && !store_track(live->store, number->track))
			*number = (struct numbered){ 0 };
	}
}

static uint32_t new_number(struct store_live *live)
{
	find_free(live);
	if (live->free.n)
		return ((const uint32_t *)live->free.data)[--live->free.n];
	return ++live->last_track;
}

static int define(struct store_live *live, const struct event *event, struct err *err)
{
	struct track_def def;
	struct event own = *event;
	struct numbered *number;
	uint64_t serial;

	if (!event->track || !event->def || event->track > *live->sink.last_track)
		return 0;
	while (live->numbers.n <= event->track)
		if (!array_add(&live->numbers, sizeof *number))
			return -ENOMEM;
	number = number_of(live, event->track);
	serial = event->def->serial ? event->def->serial : event->track;
	if (!number->track || number->serial != serial)
		*number = (struct numbered){ new_number(live), serial };
	def = *event->def;
	def.parent = track_of(live, def.parent);
	own.def = &def;
	own.track = number->track;
	return sink_put(store_sink(live->store), &own, err);
}

/* Of texts that come once, the first are enough. */
static int put_bounded(struct store_live *live, struct event *event, struct err *err)
{
	struct arg kept[STORE_MAX_ARGS];
	size_t n = 0;

	for (size_t i = 0; i < event->n_args && n < STORE_MAX_ARGS; i++)
		if (event->args[i].type != ARG_NAME || !names_is_passing(event->args[i].name))
			kept[n++] = event->args[i];
	event->args = kept;
	event->n_args = n;
	if (names_is_passing(event->name))
		event->name = 0;
	return sink_put(store_sink(live->store), event, err);
}

static int make_room(struct store_live *live)
{
	live->n_since = 0;
	if (!live->opts.max_bytes || store_used_bytes(live->store) <= live->opts.max_bytes)
		return 0;
	return store_thin(live->store, live->opts.max_bytes / 4 * 3);
}

static int put_event(struct store_live *live, const struct event *event, struct err *err)
{
	struct event own = *event;
	int code;

	if (event->type == EVENT_TRACK)
		return define(live, event, err);
	own.track = track_of(live, event->track);
	if (event->type == EVENT_TRACK_END) {
		if (own.track)
			*number_of(live, event->track) = (struct numbered){ 0 };
		return 0;
	}
	if (names_count(live->sink.names) > MOST_NAMES)
		code = put_bounded(live, &own, err);
	else
		code = sink_put(store_sink(live->store), &own, err);
	return code || ++live->n_since < LOOK_EVERY ? code : make_room(live);
}

static int put(struct sink *sink, const struct event *event, struct err *err)
{
	struct store_live *live = (struct store_live *)sink;
	struct err ignored;

	if (!live->is_broken && put_event(live, event, &ignored))
		live->is_broken = true;
	live->n_left_out += live->is_broken;
	return 0;
}

struct store_live *store_live_new(struct names *names, uint32_t *last_track, const struct store_live_opts *opts)
{
	struct store_live *live = calloc(1, sizeof *live);

	if (!live)
		return NULL;
	live->sink = (struct sink){ .put = put, .names = names, .last_track = last_track };
	live->opts = *opts;
	live->store = store_new(names, &live->last_track);
	if (!live->store) {
		free(live);
		return NULL;
	}
	store_set_window(live->store, opts->window_ns);
	return live;
}

void store_live_free(struct store_live *live)
{
	if (!live)
		return;
	store_free(live->store);
	array_done(&live->numbers, sizeof(struct numbered));
	array_done(&live->free, sizeof(uint32_t));
	free(live);
}

struct sink *store_live_sink(struct store_live *live)
{
	return &live->sink;
}

const struct store *store_live_store(const struct store_live *live)
{
	return live->store;
}

uint64_t store_live_n_left_out(const struct store_live *live)
{
	return live->n_left_out;
}
