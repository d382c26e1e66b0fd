// SPDX-License-Identifier: Apache-2.0
/*
 * Holds operators back until their inference has ended, and decides. thin_queue.c keeps them, thin_models.c knows whose
 * turn it is. Writes nothing itself.
 */
#include "capture/recorder/thin/thin.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "capture/recorder/thin/thin_in.h"
#include "event/event_args.h"

enum {
	MAX_BYTES = 4 << 20,
	DECISIONS = 1 << 13, /* that are remembered, for operators that come after the end of their inference */
	MAX_ARGS = 32,	     /* of an END */
};

#define MOST_WAIT_NS UINT64_C(10000000000)

/* Where the events of an operator that is open go. */
enum way { PASS, HOLD, LEAVE_OUT };

struct run {
	uint64_t key, begin_ns;
	uint32_t model, depth; /* depth of its slice on the track; 0: none */
};

struct track {
	uint32_t process;
	bool is_waiting; /* it is in struct thin's list */
	uint32_t depth;	 /* open slices */
	struct run run;
	uint32_t operator_depth; /* depth of the outermost open operator of an inference; 0: none */
	enum way way;
	uint64_t key; /* of that operator */
	struct thin_queue queue;
};

struct decision {
	uint64_t key; /* 0: none */
	uint32_t weight;
};

struct thin {
	struct sink sink, *to;
	struct thin_opts opts;
	struct thin_pace pace;
	uint32_t every;
	bool has_begun;			/* N was another than 1: until then slices pass and are not followed */
	uint32_t note_track, recording; /* the track of notes about the recording, 0: none yet; their first topic */
	size_t max_bytes, n_bytes;	/* of all queues */
	uint64_t newest_ns;
	uint32_t ok;
	struct array tracks;  /* struct track, by number */
	struct array waiting; /* uint32_t: tracks with a queue */
	struct decision decision[DECISIONS];
	struct thin_models models;
};

static struct track *track_at(const struct thin *thin, uint32_t id)
{
	return id < thin->tracks.n ? (struct track *)thin->tracks.data + id : NULL;
}

static const char failure[] = "cannot hold operators back";

/* Which inference the event names; 0: none. */
static uint64_t key_of(const struct track *track, const struct event *event)
{
	const struct arg *number = event_arg(event, KEY_INFERENCE, ARG_INT);

	return number && number->integer > 0 ? (uint64_t)track->process << 32 | (uint32_t)number->integer : 0;
}

/* Decisions. */

static struct decision *decision_at(struct thin *thin, uint64_t key)
{
	return &thin->decision[key * 0x9e3779b97f4a7c15u >> 51];
}

static const struct decision *find_decision(struct thin *thin, uint64_t key)
{
	const struct decision *decision = decision_at(thin, key);

	return decision->key == key ? decision : NULL;
}

static void decide(struct thin *thin, uint64_t key, uint32_t weight)
{
	*decision_at(thin, key) = (struct decision){ key, weight };
}

static void forget_process(struct thin *thin, uint32_t process)
{
	for (size_t i = 0; i < DECISIONS; i++)
		if (thin->decision[i].key >> 32 == process)
			thin->decision[i] = (struct decision){ 0 };
	thin_models_forget(&thin->models, process);
}

static bool is_failed(struct thin *thin, const struct event *end)
{
	const struct arg *status = event_arg(end, KEY_STATUS, ARG_NAME);

	return status && status->name && status->name != thin->ok;
}

static uint32_t weigh(struct thin *thin, const struct track *track, const struct event *end)
{
	struct thin_model *model = thin_models_find(&thin->models, track->process, track->run.model);

	if (is_failed(thin, end) || thin_model_is_slow(model, end->time_ns, end->time_ns - track->run.begin_ns))
		return 1;
	return thin_model_is_turn(model, thin->every) ? thin->every : 0;
}

/* Queues. */

static int take(struct thin *thin, struct track *track, bool is_kept, struct err *err)
{
	size_t before = thin_queue_bytes(&track->queue);
	bool is_open = track->operator_depth && track->way == HOLD && thin_queue_is_single(&track->queue);
	uint32_t id = (uint32_t)(track - (struct track *)thin->tracks.data);
	int code = thin_queue_take(&track->queue, id, is_kept ? thin->to : NULL, err);

	thin->n_bytes -= before - thin_queue_bytes(&track->queue);
	if (is_open)
		track->way = is_kept ? PASS : LEAVE_OUT;
	return code;
}

/* Passes on what is decided, up to the first that is not. */
static int drain(struct thin *thin, struct track *track, struct err *err)
{
	const struct thin_group *first;
	const struct decision *decision = NULL;
	int code = 0;

	while (!code && (first = thin_queue_first(&track->queue))) {
		if (first->key && !(decision = find_decision(thin, first->key)))
			break;
		code = take(thin, track, !first->key || decision->weight, err);
	}
	return code;
}

static int drain_all(struct thin *thin, struct err *err)
{
	uint32_t *waiting = thin->waiting.data;
	int code = 0;

	for (size_t i = thin->waiting.n; i-- > 0 && !code;) {
		struct track *track = track_at(thin, waiting[i]);

		code = drain(thin, track, err);
		if (thin_queue_first(&track->queue))
			continue;
		track->is_waiting = false;
		waiting[i] = waiting[--thin->waiting.n];
	}
	return code;
}

/* Decides early about what waits first on a track: by its turn, as it is not known how it will end. */
static int decide_first(struct thin *thin, struct track *track, struct err *err)
{
	const struct thin_group *first = thin_queue_first(&track->queue);
	struct thin_model *model = thin_models_find(&thin->models, track->process, 0);

	if (first && first->key && !find_decision(thin, first->key))
		decide(thin, first->key, thin_model_is_turn(model, thin->every) ? thin->every : 0);
	return drain_all(thin, err);
}

static struct track *largest(const struct thin *thin)
{
	const uint32_t *waiting = thin->waiting.data;
	struct track *found = NULL;

	for (size_t i = 0; i < thin->waiting.n; i++) {
		struct track *track = track_at(thin, waiting[i]);
		if (!found || thin_queue_bytes(&track->queue) > thin_queue_bytes(&found->queue))
			found = track;
	}
	return found;
}

static int hold(struct thin *thin, struct track *track, const struct event *event, struct err *err)
{
	size_t before = thin_queue_bytes(&track->queue);
	uint32_t *waiting;

	if (thin_queue_add(&track->queue, event))
		return err_no_memory(err, failure);
	thin->n_bytes += thin_queue_bytes(&track->queue) - before;
	if (!track->is_waiting) {
		waiting = array_add(&thin->waiting, sizeof *waiting);
		if (!waiting)
			return err_no_memory(err, failure);
		*waiting = event->track;
		track->is_waiting = true;
	}
	return 0;
}

static void stop_waiting(struct thin *thin, uint32_t track)
{
	uint32_t *waiting = thin->waiting.data;

	for (size_t i = 0; i < thin->waiting.n; i++)
		if (waiting[i] == track)
			waiting[i--] = waiting[--thin->waiting.n];
}

static int hold_in_new_group(struct thin *thin, struct track *track, uint64_t key, const struct event *event,
			     struct err *err)
{
	if (thin_queue_open(&track->queue, key, event->time_ns))
		return err_no_memory(err, failure);
	thin->n_bytes += sizeof(struct thin_group);
	return hold(thin, track, event, err);
}

/* Behind what waits on the track, if anything does. */
static int pass(struct thin *thin, struct track *track, const struct event *event, struct err *err)
{
	if (!thin_queue_first(&track->queue))
		return sink_put(thin->to, event, err);
	return hold_in_new_group(thin, track, 0, event, err);
}

/* Events. */

static int put_track(struct thin *thin, const struct event *event, struct err *err)
{
	const struct track *parent;
	struct track *track;

	while (thin->tracks.n <= event->track)
		if (!array_add(&thin->tracks, sizeof *track))
			return err_no_memory(err, failure);
	track = track_at(thin, event->track);
	parent = track_at(thin, event->def->parent);
	track->process = event->def->type == TRACK_PROCESS ? event->track : parent ? parent->process : 0;
	return sink_put(thin->to, event, err);
}

/* What waits on it was decided by now, or is kept. */
static int end_track(struct thin *thin, const struct event *event, struct err *err)
{
	struct track *track = track_at(thin, event->track);
	const struct thin_group *first;
	int code = 0;

	while (track && !code && (first = thin_queue_first(&track->queue))) {
		if (first->key && !find_decision(thin, first->key))
			decide(thin, first->key, 1);
		code = drain(thin, track, err);
	}
	if (code)
		return code;
	if (track) {
		stop_waiting(thin, event->track);
		if (track->process == event->track)
			forget_process(thin, event->track);
		thin_queue_done(&track->queue);
		*track = (struct track){ 0 };
	}
	return sink_put(thin->to, event, err);
}

/* The first event of an operator in an inference. */
static int begin_operator(struct thin *thin, struct track *track, const struct event *event, struct err *err)
{
	const struct decision *decision = find_decision(thin, track->key);

	track->operator_depth = track->depth;
	track->way = thin->every == 1 || (decision && decision->weight) ? PASS : decision ? LEAVE_OUT : HOLD;
	if (track->way == HOLD)
		return hold_in_new_group(thin, track, track->key, event, err);
	if (track->way == PASS)
		return pass(thin, track, event, err);
	return 0;
}

static int put_operator(struct thin *thin, struct track *track, const struct event *event, struct err *err)
{
	if (track->way == HOLD)
		return hold(thin, track, event, err);
	if (track->way == PASS)
		return pass(thin, track, event, err);
	return 0;
}

static void begin_run(struct track *track, const struct event *event)
{
	const struct arg *model = event_arg(event, KEY_MODEL, ARG_NAME);

	track->run = (struct run){ .key = key_of(track, event),
				   .begin_ns = event->time_ns,
				   .model = model ? model->name : event->name,
				   .depth = track->depth };
}

/* The end of an inference, which is decided now at the latest. */
static int end_run(struct thin *thin, struct track *track, const struct event *event, struct err *err)
{
	const struct decision *decision = track->run.key ? find_decision(thin, track->run.key) : NULL;
	struct arg args[MAX_ARGS + 1];
	struct event end = *event;
	int code;

	track->run.depth = 0;
	if (!track->run.key || (thin->every == 1 && !decision) || event->n_args > MAX_ARGS)
		return pass(thin, track, event, err);
	if (!decision) {
		decide(thin, track->run.key, weigh(thin, track, event));
		decision = find_decision(thin, track->run.key);
	}
	if (event->n_args)
		memcpy(args, event->args, event->n_args * sizeof *args);
	args[event->n_args] = arg_int(KEY_WEIGHT, decision->weight);
	end.args = args;
	end.n_args++;
	code = drain_all(thin, err);
	return code ? code : pass(thin, track, &end, err);
}

static int put_slice(struct thin *thin, struct track *track, const struct event *event, struct err *err)
{
	bool is_end = event->type == EVENT_END;
	uint32_t depth = track->depth;
	int code;

	track->depth += !is_end;
	if (track->operator_depth) {
		code = put_operator(thin, track, event, err);
		if (is_end && depth == track->operator_depth)
			track->operator_depth = 0;
	} else if (is_end && depth && depth == track->run.depth) {
		code = end_run(thin, track, event, err);
	} else if (event->kind == KIND_OPERATOR && !is_end && (track->key = key_of(track, event))) {
		code = begin_operator(thin, track, event, err);
	} else {
		if (event->kind == KIND_INFERENCE && !is_end && !track->run.depth)
			begin_run(track, event);
		code = pass(thin, track, event, err);
	}
	track->depth -= is_end && depth;
	return code;
}

/* Not inline, so that put is short while nothing is thinned out. */
static __attribute__((noinline)) int put_followed(struct thin *thin, const struct event *event, struct err *err)
{
	struct track *track = track_at(thin, event->track);
	int code;

	if (event->type == EVENT_TRACK)
		return put_track(thin, event, err);
	if (event->type == EVENT_TRACK_END)
		return end_track(thin, event, err);
	if (event->type == EVENT_COUNTER || event->type == EVENT_SAMPLE || !track)
		return sink_put(thin->to, event, err);
	if (event->time_ns > thin->newest_ns)
		thin->newest_ns = event->time_ns;
	if (event->type == EVENT_INSTANT && event->name == thin->recording)
		thin->note_track = event->track;
	if (event->type == EVENT_INSTANT)
		code = track->operator_depth ? put_operator(thin, track, event, err) : pass(thin, track, event, err);
	else
		code = put_slice(thin, track, event, err);
	while (!code && thin->n_bytes > thin->max_bytes)
		code = decide_first(thin, largest(thin), err);
	return code;
}

static int put(struct sink *sink, const struct event *event, struct err *err)
{
	struct thin *thin = (struct thin *)sink;

	if (!thin->has_begun && (event->type == EVENT_BEGIN || event->type == EVENT_END))
		return sink_put(thin->to, event, err);
	return put_followed(thin, event, err);
}

static int put_whole(struct sink *sink, const struct event *slice, uint64_t end_ns, struct err *err)
{
	struct thin *thin = (struct thin *)sink;

	return thin->has_begun ? sink_put_parts(sink, slice, end_ns, err)
			       : sink_put_slice(thin->to, slice, end_ns, err);
}

/* What waits for too long is kept: such inferences are few. */
static int end_waits(struct thin *thin, uint64_t before_ns, struct err *err)
{
	int code = 0;

	for (size_t i = thin->waiting.n; i-- > 0 && !code;) {
		struct track *track = track_at(thin, ((const uint32_t *)thin->waiting.data)[i]);
		const struct thin_group *first;

		while (!code && (first = thin_queue_first(&track->queue)) && first->time_ns < before_ns) {
			if (first->key && !find_decision(thin, first->key))
				decide(thin, first->key, 1);
			code = drain(thin, track, err);
		}
	}
	return code ? code : drain_all(thin, err);
}

static int write_out(struct thin *thin, int code, int (*pass_on)(struct sink *sink, struct err *err), struct err *err)
{
	if (!code)
		code = pass_on(thin->to, err);
	thin->sink.n_bytes = thin->to->n_bytes;
	thin->sink.n_moved = thin->to->n_moved;
	return code;
}

static int note_every(struct thin *thin, uint64_t now_ns, struct err *err)
{
	struct arg arg = arg_int(KEY_COUNT, thin->every);
	const struct event event = { .type = EVENT_INSTANT,
				     .kind = KIND_NOTE,
				     .track = thin->note_track,
				     .name = names_of(thin->sink.names, EVENT_NOTE_THINNED),
				     .time_ns = now_ns,
				     .args = &arg,
				     .n_args = 1 };

	return thin->note_track ? sink_put(thin->to, &event, err) : 0;
}

static int keep_pace(struct thin *thin, struct err *err)
{
	uint64_t now_ns = clock_ns();
	uint32_t every = thin->every;
	struct thin_room room;

	if (now_ns - thin->pace.looked_ns < THIN_LOOK_NS)
		return 0;
	room = thin->opts.room(thin->opts.ctx);
	thin_set(thin, thin_pace_look(&thin->pace, now_ns, thin->to->n_bytes, &room, every));
	return thin->every == every ? 0 : note_every(thin, now_ns, err);
}

static int flush(struct sink *sink, struct err *err)
{
	struct thin *thin = (struct thin *)sink;
	uint64_t before_ns = thin->newest_ns > MOST_WAIT_NS ? thin->newest_ns - MOST_WAIT_NS : 0;

	int code = end_waits(thin, before_ns, err);

	if (!code && thin->opts.horizon_ns)
		code = keep_pace(thin, err);
	return write_out(thin, code, sink_flush, err);
}

static int sync_(struct sink *sink, struct err *err)
{
	struct thin *thin = (struct thin *)sink;

	return write_out(thin, end_waits(thin, UINT64_MAX, err), sink_sync, err);
}

struct thin *thin_new(struct sink *to, const struct thin_opts *opts, struct err *err)
{
	struct thin *thin = calloc(1, sizeof *thin);

	if (!thin) {
		err_no_memory(err, failure);
		return NULL;
	}
	thin->to = to;
	thin->sink = (struct sink){ .put = put,
				    .put_slice = put_whole,
				    .names = to->names,
				    .last_track = to->last_track,
				    .flush = flush,
				    .sync = sync_ };
	thin->max_bytes = opts->max_bytes ? opts->max_bytes : MAX_BYTES;
	thin->opts = *opts;
	thin->pace.horizon_ns = opts->horizon_ns;
	thin->pace.whole_bytes = opts->whole_bytes;
	thin->ok = names_of(to->names, "ok");
	thin->recording = names_of(to->names, EVENT_NOTE_RECORDING);
	thin_set(thin, opts->every);
	return thin;
}

struct sink *thin_sink(struct thin *thin)
{
	return &thin->sink;
}

void thin_set(struct thin *thin, uint32_t every)
{
	thin->every = every < 1 ? 1 : every > THIN_MOST ? THIN_MOST : every;
	thin->has_begun |= thin->every > 1;
}

void thin_free(struct thin *thin)
{
	if (!thin)
		return;
	for (uint32_t id = 0; id < thin->tracks.n; id++)
		thin_queue_done(&track_at(thin, id)->queue);
	array_done(&thin->tracks, sizeof(struct track));
	array_done(&thin->waiting, sizeof(uint32_t));
	free(thin);
}
