// SPDX-License-Identifier: Apache-2.0
/*
 * Sorts events by lane and keeps each lane well nested. An END closes its slice, and with it any slices inside left
 * open by an error; an END whose BEGIN was lost is dropped.
 */
#include "capture/decode/lanes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum { DEPTH = 24 };

struct lane {
	uint32_t model, function, line; /* key */
	uint32_t number, model_track, group, track;
	uint32_t holder; /* if is_held */
	bool is_held;
	uint32_t next_of_model, next_of_holder; /* in their chains: a lane's place + 1; 0: the last */
	uint64_t last_ns;			/* of its events */
	uint32_t depth;
	struct {
		enum event_kind kind;
		uint32_t run;
		bool is_partial; /* as its begin says */
	} open[DEPTH];
};

struct lane_event *lanes_add(struct lanes *lanes)
{
	struct lane_event *event;

	if (!ARRAY_ROOM(lanes->event, lanes->capacity, lanes->n + 1))
		return NULL;
	event = &lanes->event[lanes->n++];
	memset(event, 0, sizeof *event);
	event->order = lanes->order++;
	return event;
}

struct lane_event *lanes_begin_of(struct lanes *lanes, uint32_t run)
{
	for (size_t i = lanes->n; i-- > 0;)
		if (lanes->event[i].run == run && lanes->event[i].type == EVENT_BEGIN &&
		    lanes->event[i].kind == KIND_INFERENCE)
			return &lanes->event[i];
	return NULL;
}

static int by_time(const void *left, const void *right)
{
	const struct lane_event *a = left, *b = right;

	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	if (a->run != b->run && a->type != b->type) /* one run ends where the next begins */
		return a->type == EVENT_END ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static uint32_t define(struct sink *out, enum track_type type, uint32_t parent, uint32_t name, struct err *err)
{
	struct track_def def = { .type = type, .parent = parent, .name = name };
	uint32_t track = sink_new_track(out);
	struct event event = { .type = EVENT_TRACK, .track = track, .def = &def };

	return sink_put(out, &event, err) ? 0 : track;
}

/* "inferences", "inferences 2": the first has no number. */
static uint32_t lane_name(struct sink *out, uint32_t line, uint32_t number)
{
	char text[64];
	int n;

	if (!number)
		return line;
	n = snprintf(text, sizeof text, "%.40s %u", names_text(out->names, line), number + 1);
	return names_intern(out->names, text, (size_t)n);
}

/* The group of a model; 0 and err. The UI sorts groups by name, so that models need one above them. */
static uint32_t define_model(struct lanes *lanes, struct sink *out, const struct lane_event *event, struct err *err)
{
	uint32_t parent = lanes->process_track;

	if (event->above) {
		if (!lanes->above_track)
			lanes->above_track = define(out, TRACK_GROUP, parent, event->above, err);
		if (!lanes->above_track)
			return 0;
		parent = lanes->above_track;
	}
	return define(out, TRACK_GROUP, parent, event->model, err);
}

/* What is there of an event's model. */
struct found {
	struct lane *held, *free; /* of its line: the one that its holder has, the first one that nobody has */
	uint32_t n;		  /* lanes of its line */
	uint32_t model, group;	  /* tracks; 0: there is none yet */
};

/*
 * Lanes are looked up for every event, and a program may have thousands of models: lanes whose models fall into one
 * bucket form a chain, and so do those whose holders do.
 */
static uint32_t *bucket_of(uint32_t *heads, const struct lanes *lanes, uint32_t key)
{
	return &heads[(key * 2654435769u >> 8) % lanes->lane_capacity];
}

static void release(struct lanes *lanes, struct lane *lane)
{
	uint32_t *at;

	if (!lane->is_held)
		return;
	lane->is_held = false;
	at = bucket_of(lanes->of_holder, lanes, lane->holder);
	while (&lanes->lane[*at - 1] != lane)
		at = &lanes->lane[*at - 1].next_of_holder;
	*at = lane->next_of_holder;
}

static void hold(struct lanes *lanes, struct lane *lane, uint32_t holder)
{
	uint32_t *head = bucket_of(lanes->of_holder, lanes, holder);

	if (lane->is_held)
		return;
	lane->is_held = true;
	lane->holder = holder;
	lane->next_of_holder = *head;
	*head = (uint32_t)(lane - lanes->lane) + 1;
}

static void chain(struct lanes *lanes, struct lane *lane)
{
	uint32_t *head = bucket_of(lanes->of_model, lanes, lane->model);

	lane->next_of_model = *head;
	*head = (uint32_t)(lane - lanes->lane) + 1;
	if (lane->is_held) {
		lane->is_held = false;
		hold(lanes, lane, lane->holder);
	}
}

/* Room for another lane. */
static int grow(struct lanes *lanes, struct err *err)
{
	size_t capacity = lanes->lane_capacity ? lanes->lane_capacity * 2 : 16;
	struct lane *grown = realloc(lanes->lane, capacity * sizeof *grown);
	uint32_t *heads = calloc(2 * capacity, sizeof *heads);

	lanes->lane = grown ? grown : lanes->lane;
	if (!grown || !heads) {
		free(heads);
		return err_no_memory(err, "cannot keep another lane");
	}
	free(lanes->of_model);
	lanes->of_model = heads;
	lanes->of_holder = heads + capacity;
	lanes->lane_capacity = capacity;
	for (size_t i = 0; i < lanes->n_lanes; i++)
		chain(lanes, &lanes->lane[i]);
	return 0;
}

static bool is_of_line(const struct lane *lane, const struct lane_event *event, uint32_t line)
{
	return lane->model == event->model && lane->function == event->function && lane->line == line;
}

/* The next lane that the holder has, in the chain from the lane at place `at` - 1 on. NULL: no other one. */
static struct lane *next_held(const struct lanes *lanes, uint32_t at, uint32_t holder)
{
	while (at && lanes->lane[at - 1].holder != holder)
		at = lanes->lane[at - 1].next_of_holder;
	return at ? &lanes->lane[at - 1] : NULL;
}

static struct lane *first_held(const struct lanes *lanes, uint32_t holder)
{
	return lanes->n_lanes ? next_held(lanes, *bucket_of(lanes->of_holder, lanes, holder), holder) : NULL;
}

/* The innermost lane of the event's holder. */
static struct lane *look_inside(const struct lanes *lanes, const struct lane_event *event)
{
	struct lane *last = NULL;

	for (struct lane *lane = first_held(lanes, event->holder); lane;
	     lane = next_held(lanes, lane->next_of_holder, event->holder))
		last = lane > last ? lane : last;
	return last;
}

/* The lane that the event's holder has. Whoever begins something has left what it had before, whose end was lost. */
static struct lane *look_held(struct lanes *lanes, const struct lane_event *event, uint32_t line)
{
	bool is_begin = event->type == EVENT_BEGIN && lanes_is_whole(event->kind);
	struct lane *held = NULL;

	for (struct lane *lane = first_held(lanes, event->holder), *next; lane; lane = next) {
		next = next_held(lanes, lane->next_of_holder, event->holder);
		if (is_of_line(lane, event, line))
			held = lane;
		else if (is_begin && lane->line == line)
			release(lanes, lane);
	}
	return held;
}

static struct found look(struct lanes *lanes, const struct lane_event *event, uint32_t line)
{
	struct found found = { NULL };

	if (event->is_inside) {
		found.held = look_inside(lanes, event);
		return found;
	}
	found.held = look_held(lanes, event, line);
	for (uint32_t at = lanes->n_lanes ? *bucket_of(lanes->of_model, lanes, event->model) : 0; at;
	     at = lanes->lane[at - 1].next_of_model) {
		struct lane *lane = &lanes->lane[at - 1];

		if (lane->model != event->model)
			continue;
		found.model = lane->model_track;
		if (lane->function == event->function)
			found.group = lane->group;
		if (!is_of_line(lane, event, line))
			continue;
		found.n++;
		if (!lane->is_held && lane->last_ns <= event->time_ns && (!found.free || lane < found.free))
			found.free = lane;
	}
	return found;
}

static struct lane *add_lane(struct lanes *lanes, struct sink *out, const struct lane_event *event,
			     const struct found *found, uint32_t line, struct err *err)
{
	struct lane lane = { .model = event->model,
			     .function = event->function,
			     .line = line,
			     .number = found->n,
			     .model_track = found->model,
			     .group = found->group };

	if (lanes->n_lanes == lanes->lane_capacity && grow(lanes, err))
		return NULL;
	if (!lane.model_track && !(lane.model_track = define_model(lanes, out, event, err)))
		return NULL;
	if (!lane.group)
		lane.group =
		    lane.function ? define(out, TRACK_GROUP, lane.model_track, lane.function, err) : lane.model_track;
	if (!lane.group || !(lane.track = define(out, TRACK_LANE, lane.group, lane_name(out, line, lane.number), err)))
		return NULL;
	lanes->lane[lanes->n_lanes++] = lane;
	chain(lanes, &lanes->lane[lanes->n_lanes - 1]);
	return &lanes->lane[lanes->n_lanes - 1];
}

/* NULL and err unless *is_orphan: it belongs to something whose begin was lost. */
static struct lane *find(struct lanes *lanes, struct sink *out, const struct lane_event *event, bool *is_orphan,
			 struct err *err)
{
	uint32_t line = event->line ? event->line : names_of(out->names, "inferences");
	struct found found = look(lanes, event, line);

	*is_orphan = !found.held && (event->type == EVENT_END || event->is_inside);
	if (*is_orphan || found.held)
		return found.held;
	if (!found.free)
		found.free = add_lane(lanes, out, event, &found, line, err);
	return found.free;
}

static int put(struct sink *out, const struct lane_event *from, uint32_t track, struct err *err)
{
	struct event event = { .type = from->type,
			       .kind = from->kind,
			       .track = track,
			       .name = from->name,
			       .time_ns = from->time_ns,
			       .args = from->arg,
			       .n_args = from->n_args };

	return sink_put(out, &event, err);
}

/* Ends all slices from depth `down_to` on, at the time of `by`. */
static int close_to(struct lane *lane, struct sink *out, const struct lane_event *by, uint32_t down_to, struct err *err)
{
	struct lane_event end = { .type = EVENT_END, .time_ns = by->time_ns };
	bool is_lost = by->type == EVENT_BEGIN; /* the true end */

	end.arg[0] = arg_int(KEY_PARTIAL, 1);
	for (; lane->depth > down_to; lane->depth--) {
		int code = 0;
		if (lane->depth <= DEPTH) {
			end.n_args = is_lost && !lane->open[lane->depth - 1].is_partial;
			code = put(out, &end, lane->track, err);
		}
		if (code)
			return code;
	}
	return 0;
}

/* A part of a run (not the run itself) without its run around it: its begin was lost. */
static bool is_part_alone(const struct lane *lane, const struct lane_event *event)
{
	return (event->kind == KIND_SETUP || (event->kind == KIND_SPECIALIZE && event->run)) &&
	       (!lane->depth || lane->depth > DEPTH || lane->open[lane->depth - 1].run != event->run);
}

static bool has_partial(const struct lane_event *event)
{
	for (uint32_t i = 0; i < event->n_args; i++)
		if (event->arg[i].key == KEY_PARTIAL)
			return true;
	return false;
}

static int put_begin(struct lane *lane, struct sink *out, const struct lane_event *event, struct err *err)
{
	/* the end of the slice before was lost: a lane has one session or inference at a time */
	if (lanes_is_whole(event->kind)) {
		int code = close_to(lane, out, event, 0, err);
		if (code)
			return code;
	}
	if (is_part_alone(lane, event))
		return 0; /* its end is counted */
	if (lane->depth++ >= DEPTH)
		return 0;
	lane->open[lane->depth - 1].kind = event->kind;
	lane->open[lane->depth - 1].run = event->run;
	lane->open[lane->depth - 1].is_partial = has_partial(event);
	return put(out, event, lane->track, err);
}

static int count_orphan(struct lanes *lanes, const struct lane_event *event)
{
	lanes->n_orphans++;
	for (uint32_t i = 0; i < event->n_args; i++) /* inputs came in a record of their own */
		lanes->n_orphans += event->arg[i].key == KEY_SHAPES;
	return 0;
}

static int put_end(struct lanes *lanes, struct lane *lane, struct sink *out, const struct lane_event *event,
		   struct err *err)
{
	uint32_t at = lane->depth;
	int code;

	if (lane->depth > DEPTH) {
		lane->depth--;
		return 0;
	}
	while (at && !event->is_inside &&
	       (lane->open[at - 1].kind != event->kind || lane->open[at - 1].run != event->run))
		at--;
	if (!at)
		return count_orphan(lanes, event);
	code = close_to(lane, out, event, at, err);
	if (code)
		return code;
	lane->depth--;
	return put(out, event, lane->track, err);
}

/* The number of this inference in its session. */
static void add_id(struct sessions *sessions, struct lane_event *event)
{
	struct session *session = sessions_at(sessions, event->session);

	if (session && session->number && event->n_args < LANE_ARGS)
		event->arg[event->n_args++] = arg_int(KEY_ID, (int64_t)++session->n_inferences);
}

static int put_one(struct lanes *lanes, struct sessions *sessions, struct sink *out, struct lane_event *event,
		   struct err *err)
{
	bool is_orphan;
	struct lane *lane = find(lanes, out, event, &is_orphan, err);
	int code;

	if (is_orphan)
		return event->type == EVENT_END ? count_orphan(lanes, event) : 0;
	if (!lane)
		return -ENOMEM;
	if (event->type == EVENT_BEGIN && event->kind == KIND_INFERENCE)
		add_id(sessions, event);
	code = event->type == EVENT_BEGIN ? put_begin(lane, out, event, err)
	       : event->type == EVENT_END ? put_end(lanes, lane, out, event, err)
					  : put(out, event, lane->track, err);
	if (lane->depth)
		hold(lanes, lane, event->holder);
	else
		release(lanes, lane);
	lane->last_ns = event->time_ns;
	return code;
}

static bool has_due(const struct lanes *lanes, uint64_t until_ns)
{
	for (size_t i = 0; i < lanes->n; i++)
		if (lanes->event[i].time_ns <= until_ns)
			return true;
	return false;
}

static int put_due(struct lanes *lanes, struct sessions *sessions, struct sink *out, uint64_t until_ns, struct err *err)
{
	size_t i;
	int code = 0;

	if (!has_due(lanes, until_ns)) /* else what is held would be sorted at each drain */
		return 0;
	qsort(lanes->event, lanes->n, sizeof *lanes->event, by_time);
	for (i = 0; i < lanes->n && lanes->event[i].time_ns <= until_ns && !code; i++) {
		uint64_t time_ns = lanes->event[i].time_ns;

		/* an inference that ends with a call belongs to it */
		code = time_ns ? generator_calls_put(&lanes->calls, out, time_ns - 1, err) : 0;
		code = code ? code : put_one(lanes, sessions, out, &lanes->event[i], err);
	}
	memmove(lanes->event, lanes->event + i, (lanes->n - i) * sizeof *lanes->event);
	lanes->n -= i;
	return code;
}

int lanes_put(struct lanes *lanes, struct sessions *sessions, struct sink *out, uint64_t until_ns, struct err *err)
{
	int code = put_due(lanes, sessions, out, until_ns, err);

	return code ? code : generator_calls_put(&lanes->calls, out, until_ns, err);
}

void lanes_done(struct lanes *lanes)
{
	generator_calls_done(&lanes->calls);
	free(lanes->event);
	free(lanes->lane);
	free(lanes->of_model);
	memset(lanes, 0, sizeof *lanes);
}
