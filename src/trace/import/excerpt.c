// SPDX-License-Identifier: Apache-2.0
/*
 * What began before the part is kept back, per track, until it is known whether it reaches into it. Events of a track
 * come in the order of time, so that what is kept back is one stack of open slices and the last value of a counter.
 */
#include "trace/import/excerpt.h"

#include <stdlib.h>
#include <string.h>

struct excerpt_track {
	struct array open; /* struct begun: slices that began before the part, the outermost first */
	uint32_t n_behind; /* slices that began behind it, and are open */
	bool is_passed;	   /* what began before has been passed on */
	bool has_value;
	struct event value; /* of a counter, the last one before the part, at its begin */
};

struct begun {
	struct event event; /* its args are its own */
};

static const char failure[] = "cannot cut out a part";

static struct excerpt_track *track_of(struct excerpt *excerpt, uint32_t number)
{
	while (excerpt->tracks.n <= number)
		if (!array_add(&excerpt->tracks, sizeof(struct excerpt_track)))
			return NULL;
	return (struct excerpt_track *)excerpt->tracks.data + number;
}

static int keep_back(struct excerpt_track *track, const struct event *event, struct err *err)
{
	struct begun *begun = array_add(&track->open, sizeof *begun);
	size_t size = event->n_args * sizeof *event->args;
	struct arg *args = malloc(size + 1);

	if (!begun || !args) {
		free(args);
		return err_no_memory(err, failure);
	}
	if (size)
		memcpy(args, event->args, size);
	begun->event = *event;
	begun->event.args = args;
	return 0;
}

static void forget_last(struct excerpt_track *track)
{
	struct begun *begun = track->open.data;

	if (track->open.n)
		free((void *)begun[--track->open.n].event.args);
}

/* The part of this track begins. */
static int pass_begun(struct excerpt *excerpt, struct excerpt_track *track, struct err *err)
{
	struct begun *begun = track->open.data;
	int code = 0;

	if (track->is_passed)
		return 0;
	track->is_passed = true;
	for (size_t i = 0; i < track->open.n && !code; i++)
		code = sink_put(excerpt->out, &begun[i].event, err);
	while (track->open.n)
		forget_last(track);
	return code;
}

static int put_slice(struct excerpt *excerpt, struct excerpt_track *track, const struct event *event, struct err *err)
{
	bool begins = event->type == EVENT_BEGIN;

	if (event->time_ns < excerpt->from_ns && !track->is_passed) {
		if (begins)
			return keep_back(track, event, err);
		forget_last(track);
		return 0;
	}
	if (pass_begun(excerpt, track, err))
		return -err->code;
	if (begins && event->time_ns > excerpt->to_ns) {
		track->n_behind++;
		return 0;
	}
	if (!begins && track->n_behind) {
		track->n_behind--;
		return 0;
	}
	return sink_put(excerpt->out, event, err);
}

static int pass_value(struct excerpt *excerpt, struct excerpt_track *track, struct err *err)
{
	if (!track->has_value)
		return 0;
	track->has_value = false;
	return sink_put(excerpt->out, &track->value, err);
}

static int put_value(struct excerpt *excerpt, struct excerpt_track *track, const struct event *event, struct err *err)
{
	if (event->time_ns < excerpt->from_ns) {
		track->has_value = true;
		track->value = *event;
		track->value.time_ns = excerpt->from_ns;
		track->value.args = NULL;
		track->value.n_args = 0;
		return 0;
	}
	if (pass_value(excerpt, track, err))
		return -err->code;
	return event->time_ns > excerpt->to_ns ? 0 : sink_put(excerpt->out, event, err);
}

static int put_instant(struct excerpt *excerpt, const struct event *event, struct err *err)
{
	struct event note = *event;
	bool is_here = event->time_ns >= excerpt->from_ns && event->time_ns <= excerpt->to_ns;

	if (!is_here && event->kind != KIND_NOTE)
		return 0;
	if (event->time_ns < excerpt->from_ns)
		note.time_ns = excerpt->from_ns;
	else if (event->time_ns > excerpt->to_ns)
		note.time_ns = excerpt->to_ns;
	return sink_put(excerpt->out, &note, err);
}

static int put(struct sink *sink, const struct event *event, struct err *err)
{
	struct excerpt *excerpt = (struct excerpt *)sink;
	struct excerpt_track *track;

	if (event->type == EVENT_TRACK || event->type == EVENT_TRACK_END)
		return sink_put(excerpt->out, event, err);
	if (event->type == EVENT_INSTANT)
		return put_instant(excerpt, event, err);
	if (event->type == EVENT_SAMPLE)
		return event->time_ns < excerpt->from_ns || event->time_ns > excerpt->to_ns
			   ? 0
			   : sink_put(excerpt->out, event, err);
	track = track_of(excerpt, event->track);
	if (!track)
		return err_no_memory(err, failure);
	if (event->type == EVENT_COUNTER)
		return put_value(excerpt, track, event, err);
	return put_slice(excerpt, track, event, err);
}

void excerpt_init(struct excerpt *excerpt, struct sink *out, uint64_t from_ns, uint64_t to_ns)
{
	*excerpt = (struct excerpt){ .sink = { .put = put, .names = out->names, .last_track = out->last_track },
				     .out = out,
				     .from_ns = from_ns,
				     .to_ns = to_ns };
}

int excerpt_end(struct excerpt *excerpt, struct err *err)
{
	struct excerpt_track *track = excerpt->tracks.data;
	int code = 0;

	for (size_t i = 0; i < excerpt->tracks.n && !code; i++)
		if (!(code = pass_begun(excerpt, &track[i], err))) /* a counter may not have changed since */
			code = pass_value(excerpt, &track[i], err);
	return code;
}

void excerpt_done(struct excerpt *excerpt)
{
	struct excerpt_track *track = excerpt->tracks.data;

	for (size_t i = 0; i < excerpt->tracks.n; i++) {
		while (track[i].open.n)
			forget_last(&track[i]);
		array_done(&track[i].open, sizeof(struct begun));
	}
	array_done(&excerpt->tracks, sizeof *track);
}
