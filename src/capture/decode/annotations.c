// SPDX-License-Identifier: Apache-2.0
/* Turns a program's annotations, and flows, into events. Does not check a program's statements about itself. */
#include "capture/decode/annotations.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

/* The lane of a thread's annotations. */
static int find_lane(const struct records_step *step, struct annotation_lane **found)
{
	struct recorded *process = step->process;
	struct worker *worker = step->reader->worker ? &process->workers.at[step->reader->worker - 1] : NULL;
	struct annotation_lane *lane = worker ? &worker->annotations : &process->annotations.lane;
	struct track_def def = { .type = TRACK_LANE };
	int code = 0;

	if (!lane->track) {
		def.parent = recorded_thread_track(process, step->reader, step->out);
		def.name = names_of(step->out->names, "annotations");
		code = define(step->out, &def, &lane->track, step->err);
	}
	*found = lane;
	return code;
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

/* What a begin says of its slice. args has room for SLICE_ARGS. */
static size_t describe(const struct records_step *step, enum event_kind kind, struct arg *args)
{
	const struct record *record = step->record;
	struct segment_map *map = &step->process->map;
	uint32_t detail = segment_text(map, record->id), model, provider;
	size_t n = 0;

	if (detail)
		args[n++] = arg_name(kind == KIND_OPERATOR ? KEY_OP_TYPE : KEY_CATEGORY, detail);
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
	if (kind == KIND_INFERENCE && step->reader->tid)
		args[n++] = arg_int(KEY_TID, step->reader->tid);
	return n;
}

static int put_end(const struct records_step *step, struct event *event, struct arg *args, struct annotation_lane *lane)
{
	const struct record *record = step->record;
	uint32_t status = names_of(step->out->names, "ok");
	enum event_kind kind = kind_of(record);

	if (!lane->depth) {
		step->process->lanes.n_orphans++;
		return 0;
	}
	lane->depth--;
	if (record->more & FLAG_FAILED) {
		status = segment_pass(&step->process->map, record->text);
		status = status ? status : names_of(step->out->names, "failed");
	}
	if (record->more & FLAG_FAILED || kind == KIND_INFERENCE || kind == KIND_SESSION)
		args[event->n_args++] = arg_name(KEY_STATUS, status);
	event->n_args += annotations_take_flows(step->reader, 0, event->time_ns, args + event->n_args);
	return sink_put(step->out, event, step->err);
}

static int put_slice(const struct records_step *step, enum event_type type)
{
	const struct record *record = step->record;
	struct arg args[SLICE_ARGS + READER_FLOWS];
	struct event event = {
		.type = type, .time_ns = recorded_ns(step->process, record->time), .args = args, .n_args = 0
	};
	struct annotation_lane *lane;
	int code = find_lane(step, &lane);

	if (code)
		return code;
	event.track = lane->track;
	if (type == EVENT_END)
		return put_end(step, &event, args, lane);
	lane->depth += type == EVENT_BEGIN;
	event.kind = kind_of(record);
	event.name = segment_pass(&step->process->map, record->text);
	if (!event.name)
		event.name = names_of(step->out->names, "(name lost)");
	event.n_args = describe(step, event.kind, args);
	event.n_args += annotations_take_flows(step->reader, event.time_ns, event.time_ns, args + event.n_args);
	return sink_put(step->out, &event, step->err);
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

int annotations_take(const struct records_step *step)
{
	switch (step->record->type) {
	case RECORD_USER_BEGIN:
		return put_slice(step, EVENT_BEGIN);
	case RECORD_USER_END:
		return put_slice(step, EVENT_END);
	case RECORD_USER_INSTANT:
		return put_slice(step, EVENT_INSTANT);
	case RECORD_USER_COUNTER:
		return put_counter(step);
	}
	return 0;
}
