// SPDX-License-Identifier: Apache-2.0
/* Turns records into events: one function per record type of event/record.h. Does not read rings or the dictionary. */
#include "capture/decode/records.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/decode/decode_in.h"
#include "event/begin_value.h"
#include "event/device_record.h"

/* The number of bytes of "float32[1x3x224x224],int64[8]". */
static uint64_t shape_bytes(const char *text)
{
	static const struct {
		const char *name;
		unsigned bits;
	} types[] = {
		{ "float32", 32 }, { "uint8", 8 },   { "int8", 8 },	  { "uint16", 16 },	 { "int16", 16 },
		{ "int32", 32 },   { "int64", 64 },  { "bool", 8 },	  { "float16", 16 },	 { "float64", 64 },
		{ "uint32", 32 },  { "uint64", 64 }, { "complex64", 64 }, { "complex128", 128 }, { "bfloat16", 16 },
		{ "float8", 8 },   { "uint4", 4 },   { "int4", 4 },
	};
	uint64_t total = 0;

	for (; *text; text += strcspn(text, ","), text += *text == ',') {
		const char *open = text + strcspn(text, "[,");
		uint64_t bits = 0;
		for (size_t i = 0; i < sizeof types / sizeof *types; i++)
			if (!strncmp(text, types[i].name, strlen(types[i].name)))
				bits = types[i].bits;
		for (const char *at = *open == '[' ? open + 1 : ""; *at && *at != ']'; at += *at == 'x') {
			char *end;
			bits *= strtoull(at, &end, 10);
			if (end == at)
				break;
			at = end;
		}
		total += *open == '[' ? bits / 8 : 0;
	}
	return total;
}

static inline struct arg number_of(const struct records_step *step, uint32_t key, uint32_t run)
{
	return arg_int(key, (int64_t)(step->process->run_base + recorded_run(step->process, run)));
}

static inline struct arg inference_number(const struct records_step *step)
{
	return number_of(step, KEY_INFERENCE, step->record->run);
}

static int operator_end(const struct records_step *step, uint32_t track)
{
	const struct record *record = step->record;
	struct event event = { .type = EVENT_END,
			       .kind = KIND_OPERATOR,
			       .track = track,
			       .time_ns = recorded_ns(step->process, record->value) };
	struct reader *reader = step->reader;
	struct arg args[3 + READER_FLOWS];
	size_t n = 0;

	if (device_add_span(step, &(struct device_span){ .begin_ns = record->type == RECORD_OPERATOR
									 ? recorded_ns(step->process, record->time)
									 : 0,
							 .end_ns = event.time_ns,
							 .node = record->id,
							 .run = record->run }))
		return -ENOMEM;
	if (record->flags & FLAG_FAILED) {
		uint32_t status = segment_pass(&step->process->map, record->text);
		args[n++] = arg_name(KEY_STATUS, status ? status : names_of(step->out->names, "failed"));
	}
	if (record->type == RECORD_OPERATOR && reader->n_allocs && reader->alloc_node == record->id) {
		args[n++] = arg_int(KEY_ALLOCATED, (int64_t)reader->alloc_bytes);
		args[n++] = arg_int(KEY_ALLOCATIONS, reader->n_allocs);
		reader->n_allocs = 0;
	}
	if (record->type == RECORD_OPERATOR_END && reader->n_flows)
		n += annotations_take_flows(reader, 0, event.time_ns, args + n);
	event.args = args;
	event.n_args = n;
	return sink_put(step->out, &event, step->err);
}

/* Operators that are open on the thread's line, which the thread may leave so. */
static void count_open(const struct records_step *step, int by)
{
	struct worker *worker = step->reader->worker ? &step->process->workers.at[step->reader->worker - 1] : NULL;

	if (worker && (by > 0 || worker->depth))
		worker->depth += (uint32_t)by;
}

static int operator_record(const struct records_step *step)
{
	const struct record *record = step->record;
	struct segment_node node = segment_node(&step->process->map, record->id);
	uint32_t track = recorded_thread_track(step->process, step->reader, step->out);
	struct arg args[6 + READER_FLOWS];
	struct event event = { .type = EVENT_BEGIN, .kind = KIND_OPERATOR, .track = track, .args = args };
	size_t n = 0;
	int code;

	if (record->type == RECORD_OPERATOR_END) {
		count_open(step, -1);
		return operator_end(step, track);
	}
	if (node.type)
		args[n++] = arg_name(KEY_OP_TYPE, node.type);
	if (node.provider)
		args[n++] = arg_name(KEY_PROVIDER, node.provider);
	if (record->run)
		args[n++] = inference_number(step);
	if (record->flags & FLAG_SHAPES) {
		uint32_t shapes = segment_pass(&step->process->map, record->text);
		args[n++] = arg_name(KEY_SHAPES, shapes);
		args[n++] = arg_int(KEY_BYTES, (int64_t)shape_bytes(names_text(step->out->names, shapes)));
		memory_shapes(&step->process->memory, step->out->names, record->id, shapes);
	}
	event.name = node.name ? node.name : node.type ? node.type : names_of(step->out->names, "(name lost)");
	event.time_ns = recorded_ns(step->process, record->time);
	if (step->reader->n_flows && record->type == RECORD_OPERATOR)
		n += annotations_take_flows(step->reader, event.time_ns, recorded_ns(step->process, record->value),
					    args + n);
	event.n_args = n;
	if (record->type == RECORD_OPERATOR_BEGIN) {
		count_open(step, 1);
		device_begin_operator(step, event.time_ns);
	}
	code = sink_put(step->out, &event, step->err);
	if (code || record->type == RECORD_OPERATOR_BEGIN)
		return code;
	return operator_end(step, track);
}

/* With a begin, an end, and what the node says of it: nothing else belongs to it. */
static bool is_plain(const struct records_step *step)
{
	return !(step->record->flags & (FLAG_FAILED | FLAG_SHAPES)) && !step->reader->n_flows &&
	       !step->reader->n_allocs;
}

/* What plain operators of one thread have in common, until a record of another type comes. */
struct plain {
	struct event event;
	struct arg args[3], number;
	uint32_t run; /* number is of this one */
	struct clock_span span;
};

static inline uint64_t plain_ns(const struct records_step *step, struct plain *plain, uint64_t ticks)
{
	const struct clock_map *clock = step->process->clock;

	return clock ? clock_map_span_ns(clock, &plain->span, ticks) : ticks;
}

/* Nearly all records are such: begin and end go together. */
static inline int plain_operator(const struct records_step *step, struct plain *plain)
{
	const struct record *record = step->record;
	const struct segment_node node = segment_node(&step->process->map, record->id);
	struct event *event = &plain->event;
	uint64_t end_ns;
	size_t n = 0;

	if (!event->track)
		event->track = recorded_thread_track(step->process, step->reader, step->out);
	if (record->run != plain->run) {
		plain->run = record->run;
		plain->number = inference_number(step);
	}
	event->name = node.name ? node.name : node.type ? node.type : names_of(step->out->names, "(name lost)");
	plain->args[n] = arg_name(KEY_OP_TYPE, node.type);
	n += node.type != 0;
	plain->args[n] = arg_name(KEY_PROVIDER, node.provider);
	n += node.provider != 0;
	plain->args[n] = plain->number;
	n += record->run != 0;
	event->n_args = n;
	event->time_ns = plain_ns(step, plain, record->time);
	end_ns = plain_ns(step, plain, record->value);
	if (step->process->device.is_begun &&
	    device_add_span(step, &(struct device_span){ event->time_ns, end_ns, record->id, record->run }))
		return -ENOMEM;
	return sink_put_slice(step->out, event, end_ns, step->err);
}

/* A new event on a lane of the session's model, for the caller to complete. */
static struct lane_event *lane_event(const struct records_step *step, enum event_type type, enum event_kind kind,
				     uint64_t ticks, uint64_t lane)
{
	struct session *session = sessions_at(&step->process->sessions, step->record->id);
	struct lane_event *event = lanes_add(&step->process->lanes);

	if (!event || !session)
		return NULL;
	event->type = type;
	event->kind = kind < N_KINDS ? kind : KIND_NONE;
	event->time_ns = recorded_ns(step->process, ticks);
	event->holder = lane < 64 ? (uint32_t)lane : 64 + (uint32_t)(step->reader - step->process->reader);
	event->session = session->number;
	event->model = session->model;
	event->above = names_of(step->out->names, "models");
	if (kind == KIND_PROVIDER_READY) {
		event->above = 0;
		event->model = names_of(step->out->names, "providers");
		event->line = names_of(step->out->names, "libraries");
	} else if (kind != KIND_INFERENCE && kind != KIND_SETUP && step->record->type < RECORD_COMPILE_BEGIN) {
		event->model = session->creating;
		event->line = names_of(step->out->names, "session creation");
	}
	if (!event->model)
		event->model = names_of(step->out->names, "unknown model");
	return event;
}

static void add(struct lane_event *event, struct arg arg)
{
	if (event->n_args < LANE_ARGS)
		event->arg[event->n_args++] = arg;
}

static void add_status(const struct records_step *step, struct lane_event *event, bool failed)
{
	uint32_t text =
	    failed ? segment_pass(&step->process->map, step->record->text) : names_of(step->out->names, "ok");

	add(event, arg_name(KEY_STATUS, text ? text : names_of(step->out->names, "failed")));
}

static struct arg session_number(const struct records_step *step)
{
	if (step->record->id > step->process->last_session)
		step->process->last_session = step->record->id;
	return arg_int(KEY_SESSION, (int64_t)(step->process->session_base + step->record->id));
}

/* Whether a thread of a pool runs it: it does not spin, but has work that its session's inferences do not show. */
static bool is_pooled(const struct records_step *step)
{
	struct worker *worker = step->reader->worker ? &step->process->workers.at[step->reader->worker - 1] : NULL;

	if (!worker || !worker->role)
		return false;
	worker->runs = true;
	return true;
}

/* Of one whose creation was not recorded: once, before its first inference. */
static int note_session(const struct records_step *step, uint32_t model)
{
	struct session *session = sessions_at(&step->process->sessions, step->record->id);
	struct arg args[3];

	if (!session || session->is_noted || !session->runtime)
		return 0;
	session->is_noted = true;
	args[0] = arg_name(KEY_MODEL, model);
	args[1] = session_number(step);
	args[2] = arg_name(KEY_RUNTIME, session->runtime);
	return recorded_note(
	    step->out, EVENT_NOTE_SESSION,
	    &(struct event){
		.track = recorded_track(step->process, step->out), .time_ns = step->now_ns, .args = args, .n_args = 3 },
	    step->err);
}

static void add_caller(const struct records_step *step, struct lane_event *event)
{
	uint32_t text = segment_text(&step->process->map, begin_caller(step->record->value));

	if (text)
		add(event, arg_name(KEY_CALLER, callers_place(&step->process->callers, step->out->names, text)));
}

static int run_begin(const struct records_step *step)
{
	const struct record *record = step->record;
	bool has_shapes = record->flags & FLAG_SHAPES;
	struct lane_event *event =
	    lane_event(step, EVENT_BEGIN, KIND_INFERENCE, record->time, begin_lane(record->value));
	uint32_t text = segment_pass(&step->process->map, record->text);

	if (!event)
		return -ENOMEM;
	event->name = event->model;
	event->run = record->run;
	step->reader->run_session = record->id;
	step->reader->begun_run = record->run;
	step->reader->begun_ns = event->time_ns;
	recorded_begin_sequences(step->reader, record->run);
	device_begin_run(step, event->time_ns);
	add(event, arg_name(KEY_MODEL, event->model));
	if (recorded_run(step->process, record->run) > step->process->last_run)
		step->process->last_run = recorded_run(step->process, record->run);
	add(event, inference_number(step));
	if (record->id)
		add(event, session_number(step));
	if (step->reader->tid)
		add(event, arg_int(KEY_TID, step->reader->tid));
	if (text)
		add(event, arg_name(has_shapes ? KEY_SHAPES : KEY_TAG, text));
	if (begin_batch(record->value))
		add(event, arg_int(KEY_BATCH, begin_batch(record->value)));
	add_caller(step, event);
	if (record->flags & FLAG_FIRST)
		add(event, arg_int(KEY_FIRST, 1));
	if (record->flags & FLAG_PARTIAL)
		add(event, arg_int(KEY_PARTIAL, 1));
	if (is_pooled(step))
		add(event, arg_int(KEY_POOLED, 1));
	return note_session(step, event->model);
}

static int run_inputs(const struct records_step *step)
{
	const struct record *record = step->record;
	struct lane_event *event = lanes_begin_of(&step->process->lanes, record->run);
	struct arg shapes = arg_name(KEY_SHAPES, segment_pass(&step->process->map, record->text));
	struct arg batch = arg_int(KEY_BATCH, (int64_t)record->value);

	if (event) {
		add(event, shapes);
		if (record->value)
			add(event, batch);
		return 0;
	}
	/* the run's begin was in an earlier round, or is lost: the inputs go with its end */
	step->process->lanes.n_orphans += step->reader->shapes_run != 0;
	step->reader->shapes_run = record->run;
	step->reader->shapes[0] = shapes;
	step->reader->shapes[1] = batch;
	return 0;
}

static int run_usage(const struct records_step *step)
{
	const struct record *record = step->record;
	struct arg *usage = step->reader->usage;
	uint32_t *n = &step->reader->n_usage;

	step->reader->usage_run = record->run;
	*n = 0;
	step->reader->usage_before = record->flags & FLAG_OF_SLOW ? record->text >> 16 : 0;
	step->reader->is_awake = record->flags & FLAG_AWAKE && !(record->flags & FLAG_NO_WAIT);
	usage[(*n)++] = arg_int(KEY_THREAD_CPU_NS, (int64_t)record->time);
	usage[(*n)++] = arg_int(KEY_FAULTS, record->id);
	usage[(*n)++] = arg_int(KEY_SWITCHES, record->flags & FLAG_OF_SLOW ? record->text & 0xffff : record->text);
	/* all that it did not run: see bound_usage */
	if (record->flags & FLAG_PREEMPTED && step->reader->begun_run == record->run)
		usage[(*n)++] = arg_int(KEY_RUN_QUEUE_NS, INT64_MAX);
	else if (!(record->flags & FLAG_NO_WAIT))
		usage[(*n)++] = arg_int(KEY_RUN_QUEUE_NS, (int64_t)record->value);
	if (record->flags & FLAG_OF_SLOW)
		usage[(*n)++] = arg_int(KEY_USAGE_OF_SLOW, 1);
	return 0;
}

static int run_reads(const struct records_step *step)
{
	struct reader *reader = step->reader;

	reader->reads_run = step->record->run;
	reader->reads[0] = arg_int(KEY_MAJOR_FAULTS, step->record->id);
	reader->reads[1] = arg_int(KEY_READ_BYTES, (int64_t)step->record->value);
	return 0;
}

static int run_queued(const struct records_step *step)
{
	step->reader->queued_run = step->record->run;
	step->reader->queued_since_ns = recorded_ns(step->process, step->record->value);
	return 0;
}

static void add_queue(const struct reader *reader, struct lane_event *event, uint32_t run)
{
	if (run && reader->queued_run == run && reader->begun_run == run && reader->begun_ns > reader->queued_since_ns)
		add(event, arg_int(KEY_POOL_QUEUE_NS, (int64_t)(reader->begun_ns - reader->queued_since_ns)));
}

/*
 * Bounds the thread's usage by the run's duration: it was read a moment before the run began and after it ended, and
 * the thread may have lost the CPU in between. Before a slow run it computed all the time, unless it used less. A
 * thread that did not sleep ran for all the time that it did not wait: the kernel's figure is as old as its last tick.
 */
static void bound_usage(struct reader *reader, uint64_t end_ns)
{
	int64_t took_ns = end_ns > reader->begun_ns ? (int64_t)(end_ns - reader->begun_ns) : 0;
	int64_t before_ns = (int64_t)((double)took_ns * reader->usage_before / 65536);
	int64_t *cpu_ns = &reader->usage[0].integer;

	if (*cpu_ns > before_ns)
		*cpu_ns -= before_ns;
	if (*cpu_ns > took_ns)
		*cpu_ns = took_ns;
	for (uint32_t i = 0; i < reader->n_usage; i++) {
		int64_t *wait_ns = &reader->usage[i].integer;

		if (reader->usage[i].key != KEY_RUN_QUEUE_NS)
			continue;
		if (reader->is_awake && *wait_ns <= took_ns)
			*cpu_ns = took_ns - *wait_ns;
		if (*wait_ns > took_ns - *cpu_ns)
			*wait_ns = took_ns - *cpu_ns;
	}
}

static int run_end(const struct records_step *step)
{
	const struct record *record = step->record;
	struct reader *reader = step->reader;
	struct lane_event *event = lane_event(step, EVENT_END, KIND_INFERENCE, record->time, (uint32_t)record->value);

	if (!event)
		return -ENOMEM;
	event->run = record->run;
	reader->run_session = 0;
	if (device_add_span(step, &(struct device_span){ .begin_ns = reader->begun_run == record->run ? reader->begun_ns
												      : event->time_ns,
							 .end_ns = event->time_ns,
							 .run = record->run }))
		return -ENOMEM;
	if ((step->process->memory.n_accounts || step->process->memory.n) &&
	    memory_add(&step->process->memory,
		       &(struct memory_event){ .time_ns = event->time_ns,
					       .session = (uint32_t)step->process->session_base + record->id,
					       .is_run_end = true }))
		return -ENOMEM;
	add_status(step, event, record->flags & FLAG_FAILED);
	if (reader->usage_run == record->run && reader->begun_run == record->run)
		bound_usage(reader, event->time_ns);
	/* a damaged record may have no run */
	for (uint32_t i = 0; i < reader->n_usage && record->run && reader->usage_run == record->run; i++)
		add(event, reader->usage[i]);
	for (int i = 0; i < READER_READS && record->run && reader->reads_run == record->run; i++)
		add(event, reader->reads[i]);
	for (int i = 0; i < 2 && record->run && reader->shapes_run == record->run; i++)
		add(event, reader->shapes[i]);
	if (reader->sequences && reader->sequences_run == record->run && record->run) {
		add(event, arg_name(KEY_SEQUENCES, reader->sequences));
		reader->sequences = 0;
	}
	add_queue(reader, event, record->run);
	if (record->value >> 32)
		add(event, number_of(step, KEY_FOLLOWS, (uint32_t)(record->value >> 32)));
	if (record->flags & FLAG_PARTIAL)
		add(event, arg_int(KEY_PARTIAL, 1));
	if (record->flags & FLAG_SUBNORMAL)
		add(event, arg_int(KEY_SUBNORMAL, 1));
	if (record->more & TRAITS_SEEN) {
		add(event, arg_int(KEY_GRADIENTS, (record->more & TRAIT_GRADIENTS) != 0));
		add(event, arg_int(KEY_TRAINING_MODE, (record->more & TRAIT_TRAINING_MODE) != 0));
	}
	if (record->more & TRAIT_TIMED)
		add(event, arg_int(KEY_TIMED, 1));
	reader->usage_run = reader->reads_run = reader->shapes_run = reader->queued_run = 0;
	return 0;
}

static int setup(const struct records_step *step)
{
	const struct record *record = step->record;

	for (int end = 0; end < 2; end++) {
		struct lane_event *event = lane_event(step, end ? EVENT_END : EVENT_BEGIN, KIND_SETUP,
						      end ? record->value : record->time, record->text);
		if (!event)
			return -ENOMEM;
		event->name = names_of(step->out->names, "setup");
		event->run = record->run;
	}
	return 0;
}

/* Of what a runtime compiles while an inference runs, which lies in that. */
static int compiled(const struct records_step *step)
{
	const struct record *record = step->record;
	enum event_type type = record->type == RECORD_COMPILE_BEGIN ? EVENT_BEGIN : EVENT_END;
	struct lane_event *event = lane_event(step, type, KIND_SPECIALIZE, record->time, record->value);

	if (!event)
		return -ENOMEM;
	event->run = record->run;
	event->name = segment_pass(&step->process->map, record->text);
	if (type == EVENT_BEGIN)
		add(event, inference_number(step));
	else
		add_status(step, event, record->more & FLAG_FAILED);
	if (type == EVENT_END && event->name && !(record->more & FLAG_FAILED))
		add(event, arg_name(KEY_TEXT, event->name));
	return 0;
}

static int slice_begin(const struct records_step *step)
{
	const struct record *record = step->record;
	uint32_t name = segment_text(&step->process->map, record->text);
	struct session *session = sessions_at(&step->process->sessions, record->id);
	struct lane_event *event;

	if (session && record->flags == KIND_SESSION)
		session->creating = session->model;
	event = lane_event(step, EVENT_BEGIN, record->flags, record->time, begin_lane(record->value));
	if (!event || !session)
		return -ENOMEM;
	event->name = name ? name : event->model;
	if (record->flags != KIND_SESSION)
		return 0;
	event->name = event->model;
	if (session->creating) /* else it goes with the end */
		add(event, arg_name(KEY_MODEL, event->model));
	add(event, session_number(step));
	if (step->reader->tid)
		add(event, arg_int(KEY_TID, step->reader->tid));
	add_caller(step, event);
	if (session->path)
		add(event, arg_name(KEY_MODEL_PATH, session->path));
	if (session->bytes)
		add(event, arg_int(KEY_BYTES, session->bytes));
	if (record->more & FLAG_PARTIAL)
		add(event, arg_int(KEY_PARTIAL, 1));
	return 0;
}

/* As it is now, which is soon after it was loaded; 0: not known. */
static uint32_t file_of(const struct records_step *step, const struct session *session, int64_t *bytes)
{
	const char *path = names_text(step->out->names, session->path);
	char text[80];

	return model_file_stamp(step->process->pid, path, text, sizeof text, bytes)
		   ? names_pass(step->out->names, text, strlen(text))
		   : 0;
}

static int created(const struct records_step *step, uint64_t time_ns)
{
	struct session *session = sessions_at(&step->process->sessions, step->record->id);
	struct arg args[10];
	int64_t bytes = 0;
	uint32_t file;
	size_t n = 0;

	if (!session)
		return -ENOMEM;
	args[n++] = arg_name(KEY_MODEL, session->model);
	args[n++] = session_number(step);
	if (session->runtime)
		args[n++] = arg_name(KEY_RUNTIME, session->runtime);
	session->is_noted = true;
	if (session->providers)
		args[n++] = arg_name(KEY_PROVIDERS, session->providers);
	if (session->path)
		args[n++] = arg_name(KEY_MODEL_PATH, session->path);
	if (session->path && session->creating && (file = file_of(step, session, &bytes)))
		args[n++] = arg_name(KEY_MODEL_FILE, file);
	if (session->bytes || bytes)
		args[n++] = arg_int(KEY_BYTES, session->bytes ? session->bytes : bytes);
	if (session->options)
		args[n++] = arg_name(KEY_OPTIONS, session->options);
	if (step->record->more & FLAG_FAILED)
		args[n++] = arg_name(KEY_STATUS, segment_pass(&step->process->map, step->record->text));
	return recorded_note(
	    step->out, EVENT_NOTE_CREATED,
	    &(struct event){
		.track = recorded_track(step->process, step->out), .time_ns = time_ns, .args = args, .n_args = n },
	    step->err);
}

static void add_wait(struct session *session, struct lane_event *event)
{
	if (session->has_wait)
		add(event, arg_int(KEY_RUN_QUEUE_NS, (int64_t)session->wait_ns));
	session->has_wait = false;
}

static int slice_end(const struct records_step *step)
{
	const struct record *record = step->record;
	struct session *session = sessions_at(&step->process->sessions, record->id);
	struct lane_event *event = lane_event(step, EVENT_END, record->flags, record->time, record->value);

	if (!event || !session)
		return -ENOMEM;
	if (record->more & (FLAG_MODIFIED | FLAG_UNMODIFIED))
		add(event, arg_int(KEY_MODIFIED, record->more & FLAG_MODIFIED ? 1 : 0));
	if (record->more & FLAG_COUNT)
		add(event, arg_int(record->flags == KIND_PHASE ? KEY_COUNT : KEY_CAPABILITIES, record->run));
	if (record->flags == KIND_PHASE && record->more & FLAG_BYTES)
		add(event, arg_int(KEY_BYTES, record->run));
	add_wait(session, event);
	if (record->flags != KIND_SESSION)
		return 0;
	if (session->runtime)
		add(event, arg_name(KEY_RUNTIME, session->runtime));
	if (session->providers)
		add(event, arg_name(KEY_PROVIDERS, session->providers));
	if (session->model != session->creating && session->model)
		add(event, arg_name(KEY_MODEL, session->model));
	if (session->n_pool) {
		add(event, arg_int(KEY_POOL_THREADS, session->n_pool));
		add(event, arg_int(KEY_POOL_CPU_NS, (int64_t)session->pool_ns));
	}
	add_status(step, event, record->more & FLAG_FAILED);
	if (record->more & FLAG_FAILED)
		sessions_release(&step->process->sessions, record->id);
	return created(step, step->now_ns);
}

static int slice(const struct records_step *step)
{
	const struct record *record = step->record;
	struct segment_node node = { 0, 0, 0 };
	struct session *session = sessions_at(&step->process->sessions, record->id);
	struct lane_event *event;
	char name[200];

	event = lane_event(step, EVENT_BEGIN, record->flags, record->time, record->run);
	if (!event)
		return -ENOMEM;
	event->name = segment_text(&step->process->map, record->text);
	if (record->more & FLAG_NODE) {
		node = segment_node(&step->process->map, record->text);
		snprintf(name, sizeof name, "pre-pack %s", names_text(step->out->names, node.name));
		event->name = names_of(step->out->names, name);
		if (node.type)
			add(event, arg_name(KEY_OP_TYPE, node.type));
	}
	event = session ? lane_event(step, EVENT_END, record->flags, record->value, record->run) : NULL;
	if (event)
		add_wait(session, event);
	return event ? 0 : -ENOMEM;
}

static int released(const struct records_step *step)
{
	struct session *session = sessions_at(&step->process->sessions, step->record->id);
	uint64_t time_ns = recorded_ns(step->process, step->record->time);
	bool is_long = step->record->flags & (FLAG_RELEASES | FLAG_END);
	struct arg args[5];

	if (!session)
		return -ENOMEM;
	args[3] =
	    arg_text(KEY_STATE, step->out, step->record->flags & FLAG_END ? EVENT_STATE_ENDED : EVENT_STATE_BEGUN);
	args[4] = arg_int(KEY_TID, step->reader->tid);
	args[0] = arg_name(KEY_MODEL, session->model);
	args[1] = session_number(step);
	args[2] = arg_int(KEY_FROM_NS, (int64_t)time_ns); /* the note itself is later: the order of its track */
	if (step->process->memory.n_accounts || step->process->memory.n) {
		struct memory_event gone = { .time_ns = time_ns,
					     .session = (uint32_t)args[1].integer,
					     .is_release = true };
		if (memory_add(&step->process->memory, &gone))
			return -ENOMEM;
	}
	sessions_release(&step->process->sessions, step->record->id);
	return recorded_note(step->out, EVENT_NOTE_RELEASED,
			     &(struct event){ .track = recorded_track(step->process, step->out),
					      .time_ns = step->now_ns,
					      .args = args,
					      .n_args = is_long ? 5 : 3 },
			     step->err);
}

static int begin_thread(const struct records_step *step)
{
	const struct record *record = step->record;
	uint64_t begin_ns = record->time ? recorded_ns(step->process, record->time) : step->now_ns;

	return recorded_begin_thread(step->process, step->reader, (int32_t)record->id, begin_ns, step->out, step->err);
}

/* A call of an allocator. The totals of a node are added to its end, as long as its calls are consecutive. */
static int allocation(const struct records_step *step)
{
	const struct record *record = step->record;
	struct reader *reader = step->reader;
	struct memory_event event = { .time_ns = recorded_ns(step->process, record->time),
				      .address = record->value,
				      .allocator = record->id,
				      .is_free = record->type == RECORD_FREE };
	const struct memory_allocator *allocator = memory_allocator(&step->process->memory, record->id);
	uint8_t use = record->flags & ~MEMORY_RESERVED;
	uint32_t session = use == MEMORY_OPERATOR ? reader->run_session : record->run;

	if (!event.address || event.address >> 62 || (!event.is_free && !allocator))
		return 0;
	if (event.is_free)
		return memory_add(&step->process->memory, &event);
	event.bytes = record->more < 32 ? (uint64_t)record->text << record->more : 0;
	event.use = use < N_MEMORY_USES ? use : MEMORY_OTHER;
	event.is_reserve = record->flags & MEMORY_RESERVED;
	event.session = session ? (uint32_t)step->process->session_base + session : 0;
	if (use == MEMORY_OPERATOR && record->run && !allocator->is_behind_arena) {
		event.node = record->run;
		if (reader->alloc_node != record->run)
			reader->n_allocs = 0;
		reader->alloc_bytes = event.bytes + (reader->n_allocs ? reader->alloc_bytes : 0);
		reader->alloc_node = record->run;
		reader->n_allocs++;
	}
	return memory_add(&step->process->memory, &event);
}

int records_take(const struct records_step *step)
{
	switch (step->record->type) {
	case RECORD_OPERATOR:
	case RECORD_OPERATOR_BEGIN:
	case RECORD_OPERATOR_END:
		return operator_record(step);
	case RECORD_THREAD:
		return begin_thread(step);
	case RECORD_MOVED:
		recorded_leave_ring(step->process, step->reader);
		return 0;
	case RECORD_RUN_BEGIN:
		return run_begin(step);
	case RECORD_RUN_INPUTS:
		return run_inputs(step);
	case RECORD_RUN_USAGE:
		return run_usage(step);
	case RECORD_RUN_READS:
		return run_reads(step);
	case RECORD_RUN_QUEUED:
		return run_queued(step);
	case RECORD_RUN_END:
		return run_end(step);
	case RECORD_POOL:
	case RECORD_CREATION_WAIT:
		return sessions_take(&step->process->sessions, step->record);
	case RECORD_SETUP:
		return setup(step);
	case RECORD_COMPILE_BEGIN:
	case RECORD_COMPILE_END:
		return compiled(step);
	case RECORD_SLICE_BEGIN:
		return slice_begin(step);
	case RECORD_SLICE_END:
		return slice_end(step);
	case RECORD_SLICE:
		return slice(step);
	case RECORD_RELEASED:
		return released(step);
	case RECORD_ALLOC:
	case RECORD_FREE:
		return allocation(step);
	case RECORD_FLOW:
		annotations_add_flow(step);
		return 0;
	case RECORD_USER_BEGIN:
	case RECORD_USER_END:
	case RECORD_USER_INSTANT:
	case RECORD_USER_COUNTER:
	case RECORD_RUN_TOKENS:
	case RECORD_STAGE:
	case RECORD_RUN_SEQUENCES:
	case RECORD_RUN_GENERATOR:
	case RECORD_GENERATOR_CALL:
		return annotations_take(step);
	case RECORD_DEVICE_MORE:
	case RECORD_DEVICE_WORK:
	case RECORD_DEVICE_CALL:
	case RECORD_DEVICE_OVERHEAD:
	case RECORD_DEVICE_DROPPED:
	case RECORD_DEVICE_STATE:
	case RECORD_DEVICE_NODE:
		return device_take(step);
	}
	return 0; /* RECORD_LOST only marks a place */
}

int records_take_all(struct records_step *step, const struct record *records, size_t n)
{
	struct plain plain = { .event = { .type = EVENT_BEGIN, .kind = KIND_OPERATOR, .args = plain.args } };
	int code = 0;

	for (const struct record *record = records; record < records + n && !code; record++) {
		step->record = record;
		if (record->type == RECORD_OPERATOR && is_plain(step)) {
			code = plain_operator(step, &plain);
		} else {
			plain.event.track = plain.run = 0;
			code = records_take(step);
		}
	}
	return code;
}
