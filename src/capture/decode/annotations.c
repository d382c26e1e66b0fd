// SPDX-License-Identifier: Apache-2.0
/* Turns a program's annotations, and flows, into events. Does not check a program's statements about itself. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/decode/decode_in.h"
#include "event/generator_call.h"

enum { MAX_COUNTERS = 4096 };

static int define(struct sink *out, const struct track_def *def, uint32_t *track, struct err *err)
{
	struct event event = { .type = EVENT_TRACK, .track = sink_new_track(out), .def = def };

	*track = event.track;
	return sink_put(out, &event, err);
}

/* Flow ids are unique per process; in a recording they must not equal those of another process. */
static int64_t flow_id(const struct recorded *process, uint64_t id)
{
	return (int64_t)(process->flows_base ^ (id & (((uint64_t)1 << FLOW_BITS) - 1)));
}

void annotations_add_flow(const struct records_step *step)
{
	struct reader *reader = step->reader;
	struct reader_flow *flow;

	recorded_track(step->process, step->out);
	if (reader->n_flows == READER_FLOWS) {
		memmove(reader->flow, reader->flow + 1, (READER_FLOWS - 1) * sizeof *reader->flow);
		reader->n_flows--;
		step->process->lanes.n_orphans++;
	}
	flow = &reader->flow[reader->n_flows++];
	flow->time_ns = recorded_ns(step->process, step->record->time);
	flow->arg = arg_int(step->record->flags & FLAG_END ? KEY_FLOW_END : KEY_FLOW,
			    flow_id(step->process, step->record->value));
}

size_t annotations_take_flows(struct reader *reader, uint64_t from_ns, uint64_t to_ns, struct arg *args)
{
	uint32_t n_left = 0;
	size_t n = 0;

	for (uint32_t i = 0; i < reader->n_flows; i++) {
		if (reader->flow[i].time_ns >= from_ns && reader->flow[i].time_ns <= to_ns)
			args[n++] = reader->flow[i].arg;
		else
			reader->flow[n_left++] = reader->flow[i];
	}
	reader->n_flows = n_left;
	return n;
}

static struct annotation_lane *lane_of(const struct records_step *step)
{
	uint32_t worker = step->reader->worker;

	return worker ? &step->process->workers.at[worker - 1].annotations : &step->process->annotations.lane;
}

/* A line of a thread; defined here if new. */
static int find_line(const struct records_step *step, struct annotation_lane *lane, const char *name)
{
	struct track_def def = { .type = TRACK_LANE };

	if (lane->track)
		return 0;
	def.parent = recorded_thread_track(step->process, step->reader, step->out);
	def.name = names_of(step->out->names, name);
	return define(step->out, &def, &lane->track, step->err);
}

/* Only kinds that a program may give its slices. */
static enum event_kind kind_of(const struct record *record)
{
	switch (record->type == RECORD_USER_INSTANT ? KIND_NONE : record->flags) {
	case KIND_PROVIDER_READY:
	case KIND_SESSION:
	case KIND_LOAD:
	case KIND_SPECIALIZE:
	case KIND_SETUP:
	case KIND_INFERENCE:
	case KIND_OPERATOR:
	case KIND_KERNEL:
	case KIND_STAGE:
		return record->flags;
	}
	return KIND_USER;
}

/* The inference that a slice is, or belongs to. */
static struct arg inference_of(const struct records_step *step)
{
	struct recorded *process = step->process;
	uint64_t run = recorded_run(process, step->record->run);

	if (step->record->flags == KIND_INFERENCE && run > process->last_run)
		process->last_run = run;
	return arg_int(KEY_INFERENCE, (int64_t)(process->run_base + run));
}

enum { SLICE_ARGS = 5 };

/* What the text is that a begin has besides its name, model and provider. */
static enum event_key detail_key(enum event_kind kind)
{
	if (kind == KIND_USER)
		return KEY_CATEGORY;
	return kind == KIND_OPERATOR ? KEY_OP_TYPE : KEY_FUNCTION;
}

/* What a begin says of its slice. args has room for SLICE_ARGS. */
static size_t describe(const struct records_step *step, enum event_kind kind, struct arg *args)
{
	const struct record *record = step->record;
	struct segment_map *map = &step->process->map;
	uint32_t detail = segment_text(map, record->id), model, provider;
	size_t n = 0;

	if (detail)
		args[n++] = arg_name(detail_key(kind), detail);
	if (kind == KIND_USER)
		return n;
	model = segment_text(map, (uint32_t)record->value);
	provider = segment_text(map, (uint32_t)(record->value >> 32));
	if (model)
		args[n++] = arg_name(KEY_MODEL, model);
	if (provider)
		args[n++] = arg_name(KEY_PROVIDER, provider);
	if (record->run)
		args[n++] = inference_of(step);
	if (kind != KIND_INFERENCE)
		return n;
	if (step->reader->tid)
		args[n++] = arg_int(KEY_TID, step->reader->tid);
	recorded_begin_sequences(step->reader, record->run);
	return n;
}

/* How an end differs from others: args has room for two, and for the reader's flows. */
static size_t describe_end(const struct records_step *step, enum event_kind kind, uint64_t time_ns, struct arg *args)
{
	const struct record *record = step->record;
	uint32_t status = names_of(step->out->names, "ok");
	size_t n = 0;

	if (record->more & FLAG_FAILED) {
		status = segment_pass(&step->process->map, record->text);
		status = status ? status : names_of(step->out->names, "failed");
	}
	if (record->more & FLAG_FAILED || lanes_is_whole(kind))
		args[n++] = arg_name(KEY_STATUS, status);
	if (kind == KIND_INFERENCE && step->reader->sequences_run && step->reader->sequences) {
		args[n++] = arg_name(KEY_SEQUENCES, step->reader->sequences);
		step->reader->sequences = 0;
	}
	return n + annotations_take_flows(step->reader, 0, time_ns, args + n);
}

static uint32_t name_of(const struct records_step *step)
{
	uint32_t name = segment_pass(&step->process->map, step->record->text);

	return name ? name : names_of(step->out->names, "(name lost)");
}

/* The depth of the slice whose lane of a model the next one lies on, which may be itself, plus 1; 0: on none. */
static uint32_t holder_of(const struct annotation_lane *lane, enum event_kind kind)
{
	uint64_t outer = lane->depth < ANNOTATION_DEPTH ? lane->is_whole & (((uint64_t)1 << lane->depth) - 1) : 0;

	if (lane->depth >= ANNOTATION_DEPTH)
		return 0;
	if (lanes_is_whole(kind))
		return lane->depth + 1;
	if (kind != KIND_SETUP && kind != KIND_LOAD && kind != KIND_SPECIALIZE)
		return 0;
	return outer ? 64 - (uint32_t)__builtin_clzll(outer) : 0;
}

/* Unlike the numbers of a runtime's lanes, see records.c. */
static uint32_t holder_number(const struct records_step *step, uint32_t depth)
{
	return (uint32_t)1 << 31 | step->reader->worker * ANNOTATION_DEPTH | (depth - 1);
}

/* Sessions and inferences, and their parts, lie on lanes of their model, like those of a runtime. */
static int put_on_lane(const struct records_step *step, enum event_type type, uint32_t holder)
{
	struct lane_event *event = lanes_add(&step->process->lanes);
	enum event_kind kind = kind_of(step->record);

	_Static_assert(SLICE_ARGS + READER_FLOWS <= LANE_ARGS, "arguments fit");
	if (!event)
		return -ENOMEM;
	recorded_track(step->process, step->out);
	event->type = type;
	event->kind = kind;
	event->time_ns = recorded_ns(step->process, step->record->time);
	event->holder = holder_number(step, holder);
	event->is_inside = type == EVENT_END || !lanes_is_whole(kind);
	if (type == EVENT_END) {
		event->n_args = (uint32_t)describe_end(step, kind, event->time_ns, event->arg);
		return 0;
	}
	event->name = name_of(step);
	event->above = names_of(step->out->names, "models");
	event->line = kind == KIND_SESSION ? names_of(step->out->names, "session creation") : 0;
	event->model = segment_text(&step->process->map, (uint32_t)step->record->value);
	event->model = event->model ? event->model : event->name;
	event->function = kind == KIND_INFERENCE ? segment_text(&step->process->map, step->record->id) : 0;
	event->n_args = (uint32_t)describe(step, kind, event->arg);
	event->n_args +=
	    (uint32_t)annotations_take_flows(step->reader, event->time_ns, event->time_ns, event->arg + event->n_args);
	return 0;
}

static int put_on_line(const struct records_step *step, struct annotation_lane *lane, enum event_type type)
{
	struct arg args[SLICE_ARGS + READER_FLOWS];
	struct event event = { .type = type, .time_ns = recorded_ns(step->process, step->record->time), .args = args };
	int code = find_line(step, lane, "annotations");

	if (code)
		return code;
	event.track = lane->track;
	if (type == EVENT_END) {
		event.n_args = describe_end(step, kind_of(step->record), event.time_ns, args);
		return sink_put(step->out, &event, step->err);
	}
	event.kind = kind_of(step->record);
	event.name = name_of(step);
	event.n_args = describe(step, event.kind, args);
	event.n_args += annotations_take_flows(step->reader, event.time_ns, event.time_ns, args + event.n_args);
	return sink_put(step->out, &event, step->err);
}

static int put_begin(const struct records_step *step, struct annotation_lane *lane)
{
	enum event_kind kind = kind_of(step->record);
	uint32_t holder = holder_of(lane, kind);
	uint64_t bit = lane->depth < ANNOTATION_DEPTH ? (uint64_t)1 << lane->depth : 0;

	lane->is_away = holder ? lane->is_away | bit : lane->is_away & ~bit;
	lane->is_whole = holder && lanes_is_whole(kind) ? lane->is_whole | bit : lane->is_whole & ~bit;
	lane->depth++;
	return holder ? put_on_lane(step, EVENT_BEGIN, holder) : put_on_line(step, lane, EVENT_BEGIN);
}

static int put_end(const struct records_step *step, struct annotation_lane *lane)
{
	uint64_t until;

	if (!lane->depth) {
		step->process->lanes.n_orphans++;
		return 0;
	}
	if (--lane->depth >= ANNOTATION_DEPTH || !(lane->is_away >> lane->depth & 1))
		return put_on_line(step, lane, EVENT_END);
	/* itself and those around it */
	until = lane->is_whole & (UINT64_MAX >> (ANNOTATION_DEPTH - 1 - lane->depth));
	return put_on_lane(step, EVENT_END, 64 - (uint32_t)__builtin_clzll(until));
}

static int put_slice(const struct records_step *step)
{
	struct annotation_lane *lane = lane_of(step);

	if (step->record->type == RECORD_USER_INSTANT)
		return put_on_line(step, lane, EVENT_INSTANT);
	return step->record->type == RECORD_USER_BEGIN ? put_begin(step, lane) : put_end(step, lane);
}

/* *track is 0: there are too many. */
static int find_counter(const struct records_step *step, uint32_t name, uint32_t *track)
{
	struct annotations *all = &step->process->annotations;
	struct track_def group = { .type = TRACK_GROUP, .parent = recorded_track(step->process, step->out) };
	struct track_def def = { .type = TRACK_COUNTER, .name = name };
	struct annotation_counter *grown;
	int code;

	*track = 0;
	for (uint32_t i = all->n_counters; i-- > 0;) {
		if (all->counter[i].name == name) {
			*track = all->counter[i].track;
			return 0;
		}
	}
	if (all->n_counters == MAX_COUNTERS)
		return 0;
	grown = realloc(all->counter, (all->n_counters + 1) * sizeof *grown);
	if (!grown)
		return -ENOMEM;
	all->counter = grown;
	group.name = names_of(step->out->names, "annotations");
	if (!all->group && (code = define(step->out, &group, &all->group, step->err)))
		return code;
	def.parent = all->group;
	def.unit = segment_text(&step->process->map, step->record->id);
	code = define(step->out, &def, track, step->err);
	all->counter[all->n_counters++] = (struct annotation_counter){ name, *track };
	return code;
}

static int put_counter(const struct records_step *step)
{
	const struct record *record = step->record;
	struct memory_event event = { .time_ns = recorded_ns(step->process, record->time) };
	uint32_t name = segment_text(&step->process->map, record->text);
	int code = name ? find_counter(step, name, &event.counter) : 0;

	memcpy(&event.value, &record->value, sizeof event.value);
	return code || !event.counter ? code : memory_add(&step->process->memory, &event);
}

/* What completes inferences of a session. */
static int put_stage(const struct records_step *step)
{
	const struct record *record = step->record;
	struct recorded *process = step->process;
	struct annotation_lane *lane =
	    step->reader->worker ? &process->workers.at[step->reader->worker - 1].stages : &process->annotations.stages;
	struct event event = { .type = EVENT_BEGIN, .kind = KIND_STAGE, .name = name_of(step) };
	struct arg args[2];
	int code;

	if (record->value < record->time)
		return 0;
	code = find_line(step, lane, "training");
	args[0] = arg_int(KEY_SESSION, (int64_t)(process->session_base + record->id));
	args[1] = arg_int(KEY_COUNT, record->run);
	event.track = lane->track;
	event.time_ns = recorded_ns(process, record->time);
	event.args = args;
	event.n_args = 2;
	return code ? code : sink_put_slice(step->out, &event, recorded_ns(process, record->value), step->err);
}

/* A call of a generator. */
static int add_generator_call(const struct records_step *step)
{
	struct recorded *process = step->process;
	struct annotation_lane *lane = step->reader->worker ? &process->workers.at[step->reader->worker - 1].generators
							    : &process->annotations.generators;
	struct record record = *step->record;
	int code = find_line(step, lane, "tokens");

	record.time = recorded_ns(process, record.time);
	record.value = recorded_ns(process, record.value);
	return code ? code
		    : generator_calls_add(&process->lanes.calls, lane->track, step->reader->tid, &record, step->out);
}

/* What the program itself names says more than that a prompt began as an earlier one. */
static void take_sequences(const struct records_step *step)
{
	uint32_t text = segment_pass(&step->process->map, step->record->text);
	bool is_named = step->reader->sequences && step->reader->sequences_run == step->record->run;

	if (is_named && *names_text(step->out->names, text) == '~')
		return;
	step->reader->sequences_run = step->record->run;
	step->reader->sequences = text;
}

static void take_generator(const struct records_step *step)
{
	char text[16];
	int n = snprintf(text, sizeof text, "g%" PRIu32, step->record->id);

	step->reader->sequences_run = step->record->run;
	step->reader->sequences = names_pass(step->out->names, text, (size_t)n);
}

/* Of a sequence; those of one run are told one after the other. */
static int add_tokens(const struct records_step *step)
{
	enum { MOST = 2048, ENTRY = 64 };
	const struct record *record = step->record;
	struct reader *reader = step->reader;
	struct names *names = step->out->names;
	bool is_more =
	    reader->sequences && reader->sequences_run == record->run && *names_text(names, reader->sequences) != '~';
	char text[MOST + ENTRY];
	size_t n = is_more ? names_len(names, reader->sequences) : 0;

	if (n > MOST)
		return 0;
	memcpy(text, names_text(names, reader->sequences), n);
	n += (size_t)snprintf(text + n, ENTRY, "%s%" PRIu32 ":", n ? "," : "", record->id);
	if ((uint32_t)record->value == UINT32_MAX)
		n += (size_t)snprintf(text + n, ENTRY, "?");
	else
		n += (size_t)snprintf(text + n, ENTRY, "%" PRIu32, (uint32_t)record->value);
	n += (size_t)snprintf(text + n, ENTRY, "+%" PRIu32 "/%" PRIu64, record->text, record->value >> 32);
	reader->sequences_run = record->run;
	reader->sequences = names_pass(names, text, n);
	return 0;
}

int annotations_take(const struct records_step *step)
{
	switch (step->record->type) {
	case RECORD_STAGE:
		return put_stage(step);
	case RECORD_USER_BEGIN:
	case RECORD_USER_END:
	case RECORD_USER_INSTANT:
		return put_slice(step);
	case RECORD_USER_COUNTER:
		return put_counter(step);
	case RECORD_RUN_SEQUENCES:
		take_sequences(step);
		return 0;
	case RECORD_RUN_GENERATOR:
		take_generator(step);
		return 0;
	case RECORD_GENERATOR_CALL:
		return add_generator_call(step);
	case RECORD_RUN_TOKENS:
		return add_tokens(step);
	}
	return 0;
}
