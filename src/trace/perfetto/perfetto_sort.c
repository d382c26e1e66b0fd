// SPDX-License-Identifier: Apache-2.0
/*
 * Sorts the events of one file and puts them, in the order of time over all tracks. A complete slice (begin and
 * duration) gets its END; if it would outlast the slice around it, it ends with that one, so that slices nest.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "trace/perfetto/perfetto_event.h"

struct sorter_event {
	uint64_t time_ns, order;
	union {
		double value;
		uint64_t dur_ns;
	};
	size_t first_arg;
	uint32_t track, name, n_args;
	uint8_t type, kind;
	bool is_whole; /* a complete slice */
};

int perfetto_sort_add(struct sorter *sorter, const struct event *event, uint64_t dur_ns, struct err *err)
{
	struct sorter_event *added;

	if (!ARRAY_ROOM(sorter->event, sorter->room, sorter->n + 1) ||
	    !ARRAY_ROOM(sorter->arg, sorter->arg_room, sorter->n_args + event->n_args + 1))
		return perfetto_state_out_of_memory(err);
	added = &sorter->event[sorter->n];
	*added = (struct sorter_event){ event->time_ns,
					sorter->n,
					.first_arg = sorter->n_args,
					.track = event->track,
					.name = event->name,
					.n_args = (uint32_t)event->n_args,
					.type = (uint8_t)event->type,
					.kind = (uint8_t)event->kind };
	if (event->type == EVENT_COUNTER) {
		added->value = event->value;
	} else if (dur_ns) {
		added->dur_ns = dur_ns;
		added->is_whole = true;
	}
	if (event->n_args)
		memcpy(sorter->arg + sorter->n_args, event->args, event->n_args * sizeof *sorter->arg);
	sorter->n_args += event->n_args;
	sorter->n++;
	return 0;
}

static int by_time_and_track(const void *left, const void *right)
{
	const struct sorter_event *a = left, *b = right;

	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	if (a->track != b->track)
		return a->track < b->track ? -1 : 1;
	/* Complete slices may be in the file inner first: the longer one is the outer one. */
	if (a->is_whole && b->is_whole && a->dur_ns != b->dur_ns)
		return a->dur_ns > b->dur_ns ? -1 : 1;
	return a->order < b->order ? -1 : 1;
}

/* The open slices of a track, outermost first: the end of each, or WAITS for an END event. */
enum { WAITS = 0 };

struct open {
	uint64_t *end_ns;
	size_t n, room;
	size_t n_waiting;
};

static int push(struct open *open, uint64_t end_ns, struct err *err)
{
	if (!ARRAY_ROOM(open->end_ns, open->room, open->n + 1))
		return perfetto_state_out_of_memory(err);
	if (open->n && open->end_ns[open->n - 1] != WAITS && open->end_ns[open->n - 1] < end_ns)
		end_ns = open->end_ns[open->n - 1];
	open->n_waiting += end_ns == WAITS;
	open->end_ns[open->n++] = end_ns;
	return 0;
}

static int put_end(struct state *state, struct open *open, struct track *track, uint64_t time_ns, struct err *err)
{
	struct event event = { .type = EVENT_END, .track = track->id, .time_ns = time_ns };

	if (time_ns < track->last_ns)
		event.time_ns = track->last_ns; /* an inner slice ended later */
	track->last_ns = event.time_ns;
	open->n--;
	return sink_put(state->out, &event, err);
}

/* Ends complete slices that end by then. */
static int put_ends(struct state *state, struct open *open, struct track *track, uint64_t until_ns, struct err *err)
{
	int result = 0;

	while (!result && open->n && open->end_ns[open->n - 1] != WAITS && open->end_ns[open->n - 1] <= until_ns)
		result = put_end(state, open, track, open->end_ns[open->n - 1], err);
	return result;
}

/* An END belongs to the innermost slice that waits for one; slices inside it end with it. */
static int end_inner(struct state *state, struct open *open, struct track *track, uint64_t time_ns, struct err *err)
{
	int result = 0;

	while (!result && open->end_ns[open->n - 1] != WAITS)
		result = put_end(state, open, track, time_ns, err);
	open->n--;
	open->n_waiting--;
	return result;
}

static bool fits(const struct track *track, const struct open *open, const struct sorter_event *one)
{
	if (track->is_of_file)
		return false;
	if (track->def.type == TRACK_COUNTER)
		return one->type == EVENT_COUNTER;
	return one->type != EVENT_COUNTER && (one->type != EVENT_END || open->n_waiting);
}

static int put_one(struct sorter *sorter, struct state *state, const struct sorter_event *one, struct open *open,
		   struct err *err)
{
	struct track *track = &state->track[one->track];
	struct event event = { .type = (enum event_type)one->type, .kind = (enum event_kind)one->kind };
	int result = 0;

	event.track = track->id;
	event.name = one->name;
	event.time_ns = one->time_ns;
	event.args = sorter->arg + one->first_arg;
	event.n_args = one->n_args;
	if (one->type == EVENT_COUNTER) {
		track->sum = track->is_incremental ? track->sum + one->value : one->value;
		event.value = track->sum * track->multiplier;
	}
	if (one->type == EVENT_BEGIN)
		result = push(open, one->is_whole ? one->time_ns + one->dur_ns : WAITS, err);
	else if (one->type == EVENT_END)
		result = end_inner(state, open, track, one->time_ns, err);
	track->last_ns = one->time_ns;
	return result ? result : sink_put(state->out, &event, err);
}

/* Guesses counters that have no descriptor. */
static void guess_counters(struct sorter *sorter, struct state *state)
{
	for (size_t i = 0; i < sorter->n; i++) {
		struct track *track = &state->track[sorter->event[i].track];
		if (sorter->event[i].type == EVENT_COUNTER && !track->is_defined)
			track->def.type = TRACK_COUNTER;
	}
}

static int put_all(struct sorter *sorter, struct state *state, struct open *opens, uint64_t *n_dropped, struct err *err)
{
	int result = 0;

	for (size_t i = 0; i < sorter->n && !result; i++) {
		const struct sorter_event *one = &sorter->event[i];
		struct track *track = &state->track[one->track];
		struct open *open = &opens[one->track];

		result = put_ends(state, open, track, one->time_ns, err);
		if (!result && !fits(track, open, one))
			++*n_dropped;
		else if (!result)
			result = put_one(sorter, state, one, open, err);
	}
	for (size_t i = 1; i <= state->n_tracks && !result; i++)
		result = put_ends(state, &opens[i], &state->track[i], UINT64_MAX, err);
	return result;
}

int perfetto_sort_emit(struct sorter *sorter, struct state *state, uint64_t *n_dropped, struct err *err)
{
	struct open *opens;
	int result;

	guess_counters(sorter, state);
	result = perfetto_tracks_emit_all(state, err);
	if (result)
		return result;
	opens = calloc(state->n_tracks + 1, sizeof *opens);
	if (!opens)
		return perfetto_state_out_of_memory(err);
	if (sorter->n)
		qsort(sorter->event, sorter->n, sizeof *sorter->event, by_time_and_track);
	result = put_all(sorter, state, opens, n_dropped, err);
	for (size_t i = 1; i <= state->n_tracks; i++)
		free(opens[i].end_ns);
	free(opens);
	return result;
}

void perfetto_sort_done(struct sorter *sorter)
{
	free(sorter->event);
	free(sorter->arg);
	memset(sorter, 0, sizeof *sorter);
}
