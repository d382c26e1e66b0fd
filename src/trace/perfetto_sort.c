// SPDX-License-Identifier: Apache-2.0
/*
 * Sorts events of one file and puts them. Slices told in one piece (begin and duration) get their END where it
 * belongs; one that would outlast the slice around it ends with that.
 */
#include "trace/perfetto_sort.h"

#include <stdlib.h>
#include <string.h>

struct sorter_event {
	uint64_t time_ns, order;
	union {
		double value;
		uint64_t dur_ns;
	};
	size_t first_arg;
	uint32_t track, name, n_args;
	uint8_t type, kind;
	bool is_whole;	/* a slice in one piece */
};

static void *more_room(void *array, size_t *room, size_t need, size_t size)
{
	size_t more = *room ? *room : 256;

	if (need <= *room)
		return array;
	while (more < need)
		more *= 2;
	array = realloc(array, more * size);
	if (array)
		*room = more;
	return array;
}

int perfetto_sort_add(struct sorter *sorter, const struct event *event, uint64_t dur_ns, struct err *err)
{
	struct sorter_event *events = more_room(sorter->event, &sorter->room, sorter->n + 1, sizeof *events), *added;
	struct arg *args;

	if (!events)
		return perfetto_state_out_of_memory(err);
	sorter->event = events;
	args = more_room(sorter->arg, &sorter->arg_room, sorter->n_args + event->n_args + 1, sizeof *args);
	if (!args)
		return perfetto_state_out_of_memory(err);
	sorter->arg = args;
	added = &events[sorter->n];
	*added = (struct sorter_event){ event->time_ns, sorter->n, .first_arg = sorter->n_args, .track = event->track,
					.name = event->name, .n_args = (uint32_t)event->n_args,
					.type = (uint8_t)event->type, .kind = (uint8_t)event->kind };
	if (event->type == EVENT_COUNTER) {
		added->value = event->value;
	} else if (dur_ns) {
		added->dur_ns = dur_ns;
		added->is_whole = true;
	}
	if (event->n_args)
		memcpy(args + sorter->n_args, event->args, event->n_args * sizeof *args);
	sorter->n_args += event->n_args;
	sorter->n++;
	return 0;
}

static int by_track_and_time(const void *left, const void *right)
{
	const struct sorter_event *a = left, *b = right;

	if (a->track != b->track)
		return a->track < b->track ? -1 : 1;
	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	/* Slices in one piece may be told inner first: the longer one is the outer one. */
	if (a->is_whole && b->is_whole && a->dur_ns != b->dur_ns)
		return a->dur_ns > b->dur_ns ? -1 : 1;
	return a->order < b->order ? -1 : 1;
}

/* Open slices of one piece: the times at which they end, outermost first. */
struct ends {
	uint64_t *at;
	size_t n, room;
};

static int put_ends(struct state *state, struct ends *ends, uint32_t track, uint64_t until_ns, struct err *err)
{
	int result = 0;

	while (ends->n && ends->at[ends->n - 1] <= until_ns && !result) {
		struct event event = { .type = EVENT_END, .track = state->track[track].id,
				       .time_ns = ends->at[--ends->n] };
		result = sink_put(state->out, &event, err);
		state->track[track].depth--;
	}
	return result;
}

static int push_end(struct ends *ends, uint64_t at_ns, struct err *err)
{
	uint64_t *at = more_room(ends->at, &ends->room, ends->n + 1, sizeof *at);

	if (!at)
		return perfetto_state_out_of_memory(err);
	ends->at = at;
	if (ends->n && at[ends->n - 1] < at_ns)
		at_ns = at[ends->n - 1];
	at[ends->n++] = at_ns;
	return 0;
}

static bool fits(const struct track *track, const struct sorter_event *one)
{
	if (track->def.type == TRACK_COUNTER)
		return one->type == EVENT_COUNTER;
	return one->type != EVENT_COUNTER && (one->type != EVENT_END || track->depth);
}

static int put_one(struct sorter *sorter, struct state *state, const struct sorter_event *one, struct ends *ends,
		   struct err *err)
{
	struct track *track = &state->track[one->track];
	struct event event = { (enum event_type)one->type, (enum event_kind)one->kind, track->id, one->name,
			       one->time_ns, .args = sorter->arg + one->first_arg, .n_args = one->n_args };

	if (one->type == EVENT_COUNTER) {
		track->sum = track->is_incremental ? track->sum + one->value : one->value;
		event.value = track->sum * track->multiplier;
	}
	if (one->type == EVENT_BEGIN)
		track->depth++;
	else if (one->type == EVENT_END)
		track->depth--;
	if (one->is_whole && push_end(ends, one->time_ns + one->dur_ns, err))
		return -err->code;
	return sink_put(state->out, &event, err);
}

/* Counters that no descriptor tells of. */
static void guess_counters(struct sorter *sorter, struct state *state)
{
	for (size_t i = 0; i < sorter->n; i++) {
		struct track *track = &state->track[sorter->event[i].track];
		if (sorter->event[i].type == EVENT_COUNTER && !track->is_defined)
			track->def.type = TRACK_COUNTER;
	}
}

int perfetto_sort_emit(struct sorter *sorter, struct state *state, uint64_t *n_dropped, struct err *err)
{
	struct ends ends = { 0 };
	int result;

	guess_counters(sorter, state);
	result = perfetto_tracks_emit_all(state, err);
	if (sorter->n)
		qsort(sorter->event, sorter->n, sizeof *sorter->event, by_track_and_time);
	for (size_t i = 0; i < sorter->n && !result; i++) {
		const struct sorter_event *one = &sorter->event[i];
		bool is_last = i + 1 == sorter->n || sorter->event[i + 1].track != one->track;
		result = put_ends(state, &ends, one->track, one->time_ns, err);
		if (!result && !fits(&state->track[one->track], one))
			++*n_dropped;
		else if (!result)
			result = put_one(sorter, state, one, &ends, err);
		if (!result && is_last)
			result = put_ends(state, &ends, one->track, UINT64_MAX, err);
	}
	free(ends.at);
	return result;
}

void perfetto_sort_done(struct sorter *sorter)
{
	free(sorter->event);
	free(sorter->arg);
	memset(sorter, 0, sizeof *sorter);
}
