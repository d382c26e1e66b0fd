// SPDX-License-Identifier: Apache-2.0
/*
 * The sink, and the tracks of its stream: which slices are open, and whose they are. What an inference, an operator, a
 * counter adds up to is in files of their own.
 */
#include "analyze/live/live.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/live/live_in.h"

static const char failure[] = "cannot sum up what happens";

static int define(struct live *live, const struct event *event, struct err *err)
{
	const struct track_def *def = event->def;
	const struct live_track *parent;
	struct live_track *track;

	while (live->tracks.n <= event->track)
		if (!array_add(&live->tracks, sizeof *track))
			return err_no_memory(err, failure);
	track = live_track_at(live, event->track);
	parent = live_track_at(live, def->parent);
	track->type = (uint8_t)def->type;
	track->parent = def->parent;
	track->name = names_is_passing(def->name) ? 0 : def->name;
	if (def->type == TRACK_PROCESS) {
		track->process = event->track;
		live_process_define(live, event);
		track->process_id = live_process_at(live, event->track) ? live_process_at(live, event->track)->shown.id
				    : track->process_id			? track->process_id
									: ++live->last_id;
	} else if (parent && !track->is_known) {
		track->process = parent->process;
		track->process_id = parent->process_id;
	}
	if (def->type == TRACK_COUNTER && !track->counter)
		track->counter = live_counter_define(live, event, track->process_id);
	track->is_known = true;
	return 0;
}

static void end_track(struct live *live, uint32_t number)
{
	struct live_track *track = live_track_at(live, number);
	struct live_row *row;

	if (!track)
		return;
	row = track->run_depth ? live_row_of(live, track->row) : NULL;
	if (row && row->n_open) {
		row->n_open--;
		row->n_not_ended++;
	}
	if (track->type == TRACK_PROCESS && track->process == number) {
		live_rows_end(live, number);
		live_process_end(live, number);
	}
	if (track->counter)
		live_counter_end(live, track->counter);
	free(track->slice);
	*track = (struct live_track){ 0 };
}

static int begin(struct live *live, struct live_track *track, const struct event *event, struct err *err)
{
	struct live_track *process = live_track_at(live, track->process);
	struct live_slice *slice;

	live->sums.n_events++;
	if (event->kind == KIND_HALT && process)
		process->halt_ns = event->time_ns;
	if (!track->slice && !(track->slice = malloc(LIVE_DEPTH * sizeof *track->slice)))
		return err_no_memory(err, failure);
	if (track->depth++ >= LIVE_DEPTH)
		return 0;
	slice = &track->slice[track->depth - 1];
	*slice = (struct live_slice){ .begin_ns = event->time_ns, .name = event->name, .kind = (uint8_t)event->kind };
	if (event->kind == KIND_OPERATOR) {
		slice->number = (uint64_t)event_int(event, KEY_INFERENCE, 0);
		slice->type = event_text(event, KEY_OP_TYPE);
		slice->provider = event_text(event, KEY_PROVIDER);
	} else if (event->kind == KIND_TOKENS) {
		slice->number = (uint64_t)event_int(event, KEY_ID, 0);
		slice->call[0] = event_int(event, KEY_TID, -1);
		slice->call[1] = event_int(event, KEY_BATCH, 0);
	} else if (event->kind == KIND_INFERENCE && !track->run_depth) {
		track->run_depth = track->depth;
		live_run_begin(live, track, event);
	} else if (!track->run_depth) {
		live_creation_begin(live, track, event);
	}
	return 0;
}

/* Its time is no longer that of the operator around it. */
static void leave_to_outer(struct live_track *track, uint64_t whole_ns)
{
	for (uint32_t i = track->depth; i-- > 0;)
		if (track->slice[i].kind == KIND_OPERATOR) {
			track->slice[i].inside_ns += whole_ns;
			return;
		}
}

static int end(struct live *live, struct live_track *track, const struct event *event, struct err *err)
{
	struct live_slice *slice;
	uint64_t whole_ns;

	if (!track->depth || track->depth-- > LIVE_DEPTH)
		return 0;
	slice = &track->slice[track->depth];
	whole_ns = event->time_ns > slice->begin_ns ? event->time_ns - slice->begin_ns : 0;
	if (slice->kind == KIND_OPERATOR) {
		if (!slice->number)
			slice->number = (uint64_t)event_int(event, KEY_INFERENCE, 0);
		leave_to_outer(track, whole_ns);
		if (!live_was_halted(live, track, slice->begin_ns, event->time_ns) &&
		    live_operator(live, track, slice, whole_ns > slice->inside_ns ? whole_ns - slice->inside_ns : 0))
			return err_no_memory(err, failure);
	} else if (slice->kind == KIND_TOKENS) {
		live_generations_call(live, track->process_id, slice, event->time_ns);
	} else if (track->run_depth && track->depth + 1 == track->run_depth) {
		track->run_depth = 0;
		live_run_end(live, track, event, slice->begin_ns);
	} else if (!track->run_depth) {
		live_creation_end(live, track, event, slice);
	}
	return 0;
}

static int put(struct sink *sink, const struct event *event, struct err *err)
{
	struct live *live = (struct live *)sink;
	struct live_track *track;

	if (event->type == EVENT_TRACK)
		return define(live, event, err);
	track = live_track_at(live, event->track);
	if (!track)
		return 0;
	switch (event->type) {
	case EVENT_BEGIN:
		return begin(live, track, event, err);
	case EVENT_END:
		return end(live, track, event, err);
	case EVENT_COUNTER:
		if (track->counter) {
			track->counter->value = event->value;
			track->counter->time_ns = event->time_ns;
		}
		return 0;
	case EVENT_INSTANT:
		live->sums.n_events++;
		live_instant(live, event);
		return 0;
	case EVENT_TRACK_END:
		end_track(live, event->track);
		return 0;
	default:
		return 0;
	}
}

/* Most are operators without others inside: they are never open. */
static int put_slice(struct sink *sink, const struct event *event, uint64_t end_ns, struct err *err)
{
	struct live *live = (struct live *)sink;
	struct live_track *track = live_track_at(live, event->track);
	uint64_t whole_ns = end_ns > event->time_ns ? end_ns - event->time_ns : 0;
	struct live_slice slice;

	if (!track || event->kind != KIND_OPERATOR || track->depth >= LIVE_DEPTH)
		return sink_put_parts(sink, event, end_ns, err);
	live->sums.n_events++;
	slice = (struct live_slice){ .name = event->name,
				     .number = (uint64_t)event_int(event, KEY_INFERENCE, 0),
				     .type = event_text(event, KEY_OP_TYPE),
				     .provider = event_text(event, KEY_PROVIDER) };
	leave_to_outer(track, whole_ns);
	if (live_was_halted(live, track, event->time_ns, end_ns))
		return 0;
	return live_operator(live, track, &slice, whole_ns) ? err_no_memory(err, failure) : 0;
}

static int flush(struct sink *sink, struct err *err)
{
	live_operators_settle((struct live *)sink, false);
	return 0;
}

struct live *live_new(struct names *names, uint32_t *last_track, uint64_t now_ns, struct err *err)
{
	struct live *live = calloc(1, sizeof *live);

	if (!live) {
		err_no_memory(err, failure);
		return NULL;
	}
	if (!live_generations_init(live)) {
		err_no_memory(err, failure);
		free(live);
		return NULL;
	}
	live->sink = (struct sink){
		.put = put, .put_slice = put_slice, .names = names, .last_track = last_track, .flush = flush
	};
	live->begin_ns = now_ns;
	live->ok = names_of(names, "ok");
	live->topic = (struct live_topics){ .process = names_of(names, EVENT_NOTE_PROCESS),
					    .runtime = names_of(names, EVENT_NOTE_RUNTIME),
					    .session = names_of(names, EVENT_NOTE_SESSION),
					    .created = names_of(names, EVENT_NOTE_CREATED),
					    .released = names_of(names, EVENT_NOTE_RELEASED),
					    .unreadable = names_of(names, EVENT_NOTE_UNREADABLE),
					    .sampled_out = names_of(names, EVENT_NOTE_SAMPLED_OUT),
					    .missing = names_of(names, EVENT_NOTE_MISSING),
					    .stopped = names_of(names, EVENT_NOTE_STOPPED) };
	return live;
}

struct sink *live_sink(struct live *live)
{
	return &live->sink;
}

void live_free(struct live *live)
{
	if (!live)
		return;
	live_join_done(live);
	generations_free(live->generations);
	live_rows_done(live);
	for (uint32_t i = 0; i < live->n_processes; i++)
		free(live->process[i]);
	for (uint32_t i = 0; i < live->n_counters; i++)
		free(live->counter[i]);
	for (size_t i = 0; i < live->tracks.n; i++)
		free(live_track_at(live, (uint32_t)i)->slice);
	array_done(&live->tracks, sizeof(struct live_track));
	array_done(&live->waiting, sizeof(struct live_waiting));
	free(live);
}

void live_begin(struct live *live, uint64_t now_ns)
{
	if (!live->n_intervals)
		live->begin_ns = now_ns;
}

void live_roll(struct live *live, uint64_t now_ns)
{
	uint64_t interval_ns;

	if (now_ns <= live->begin_ns)
		return;
	interval_ns = now_ns - live->begin_ns;
	live_operators_settle(live, true);
	live_rows_roll(live, now_ns);
	live_processes_roll(live);
	live_counters_roll(live, now_ns, interval_ns);
	live->shown = live->sums;
	live->interval[live->n_intervals++ % LIVE_POINTS] = (struct live_interval){ live->begin_ns, now_ns };
	live->begin_ns = now_ns;
}

uint64_t live_n_intervals(const struct live *live)
{
	return live->n_intervals;
}

bool live_interval(const struct live *live, uint32_t back, struct live_interval *interval)
{
	if (back >= live->n_intervals || back >= LIVE_POINTS)
		return false;
	*interval = live->interval[(live->n_intervals - 1 - back) % LIVE_POINTS];
	return true;
}

const struct live_totals *live_totals(const struct live *live)
{
	return &live->shown;
}
