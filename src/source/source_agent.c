// SPDX-License-Identifier: Apache-2.0
/*
 * Events from the agents in the recorded processes: finds their segments, reads rings and dictionaries,
 * and turns records into events. Operators go to the track of their thread as they come; sessions and
 * inferences go to lanes (lanes.h).
 *
 * A process's segment is read until the process is gone and nothing is left in it; then its file is
 * removed. What a killed process had published is in the segment like anything else.
 */
#include "base/clock.h"
#include "source/lanes.h"
#include "source/segment.h"
#include "source/source.h"
#include "source/tree.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A thread of the target, from what its ring says. */
struct worker {
	int32_t tid;
	uint32_t track;		/* 0: nothing to show so far */
	uint32_t role;		/* name id */
};

enum { MAX_NAMED = 256 };

struct reader {
	uint32_t worker;	/* whose ring it is now: index + 1 */
	uint64_t lost;		/* losses told of so far */
	uint32_t usage_run;	/* the run that usage belongs to */
	struct arg usage[4];
	uint32_t shapes_run;	/* inputs that came when their run's begin was gone already */
	struct arg shapes[2];
};

struct session {
	uint32_t model, creating;	/* name of the group, now and while it is being created */
	uint32_t path, providers, options;
	int64_t bytes;
};

struct process {
	struct segment_map map;
	char path[512];
	pid_t pid;
	int pidfd;		/* -1: cannot be had */
	uint32_t track;
	bool has_runtime, is_noted;
	struct lanes lanes;
	struct reader reader[SEGMENT_MAX_RINGS];
	struct worker *worker;
	uint32_t n_workers, n_named;
	struct session *session;	/* by number */
	uint32_t n_sessions;
	uint64_t dict_lost, ring_lost;
	/* numbers that earlier programs of this process have used: exec starts again from 1 */
	uint32_t session_base, run_base, last_session, last_run;
};

struct agent_state {
	const struct target *target;
	struct clock_map clock;
	bool use_ticks;
	struct process **process;
	size_t n_processes;
	uint64_t n_events, n_seen;	/* records read; processes ever seen */
	uint32_t text_load, text_ok, text_unknown;
	uint32_t *bytes_of;		/* cache: shapes text -> bytes + 1 */
	int due_ms;
};

static uint64_t to_ns(const struct agent_state *state, uint64_t ticks)
{
	return state->use_ticks ? clock_map_ns(&state->clock, ticks) : ticks;
}

static int check(const struct target *target, struct err *err)
{
	if (!target->ring_dir)
		return err_set(err, ENOENT, "no program is started with the agent in it");
	return 0;
}

static int start(void *opaque, const struct target *target, struct sink *out, struct err *err)
{
	struct agent_state *state = opaque;

	state->target = target;
	state->use_ticks = clock_is_invariant(target->sysroot, NULL);
	if (state->use_ticks)
		clock_map_init(&state->clock, 5);
	state->text_load = names_of(out->names, "load");
	state->text_ok = names_of(out->names, "ok");
	state->text_unknown = names_of(out->names, "(name lost)");
	return 0;
}

/* ---- processes ---- */

static bool has_process(const struct agent_state *state, const char *path)
{
	for (size_t i = 0; i < state->n_processes; i++)
		if (!strcmp(state->process[i]->path, path))
			return true;
	return false;
}

static void process_free(struct process *process)
{
	if (process->pidfd >= 0)
		close(process->pidfd);
	segment_close(&process->map);
	lanes_done(&process->lanes);
	free(process->worker);
	free(process->session);
	free(process);
}

static int add_process(struct agent_state *state, const char *path, struct sink *out, uint64_t now_ns, struct err *err)
{
	struct process **grown = realloc(state->process, (state->n_processes + 1) * sizeof(struct process *));
	struct process *process = grown ? calloc(1, sizeof *process) : NULL;
	struct err ignored;

	if (grown)
		state->process = grown;
	if (!process)
		return err_set(err, ENOMEM, "cannot record another process: out of memory");
	process->pidfd = -1;
	snprintf(process->path, sizeof process->path, "%s", path);
	if (segment_open(&process->map, path, out->names, &ignored)) {
		free(process);
		return 0;	/* not ours, or gone again */
	}
	process->pid = process->map.segment->pid;
	process->pidfd = (int)syscall(SYS_pidfd_open, process->pid, 0);
	process->track = tree_add(state->target->tree, state->target, out, process->pid, now_ns, &ignored);
	process->lanes.process_track = process->track;
	state->process[state->n_processes++] = process;
	state->n_seen++;
	return 0;
}

static int find_processes(struct agent_state *state, struct sink *out, uint64_t now_ns, struct err *err)
{
	DIR *dir = opendir(state->target->ring_dir);
	struct dirent *entry;
	char path[512];
	int code = 0;

	if (!dir)
		return 0;
	while (!code && (entry = readdir(dir))) {
		size_t len = strlen(entry->d_name), suffix = strlen(SEGMENT_SUFFIX);
		if (len <= suffix || strcmp(entry->d_name + len - suffix, SEGMENT_SUFFIX))
			continue;
		if (snprintf(path, sizeof path, "%s/%s", state->target->ring_dir, entry->d_name) >= (int)sizeof path)
			continue;
		if (!has_process(state, path))
			code = add_process(state, path, out, now_ns, err);
	}
	closedir(dir);
	return code;
}

/* The process's track; it may have been unknown to the tree when the segment appeared. */
static uint32_t process_track(struct agent_state *state, struct process *process, struct sink *out)
{
	struct err ignored;

	if (!process->track) {
		struct track_def def = { .type = TRACK_PROCESS, .pid = process->pid };
		struct event event = { .type = EVENT_TRACK, .track = sink_new_track(out), .def = &def };
		process->track = process->lanes.process_track = event.track;
		sink_put(out, &event, &ignored);
	}
	return process->track;
}

static bool has_ended(const struct process *process)
{
	struct pollfd poller = { process->pidfd, POLLIN, 0 };

	if (process->pidfd < 0)
		return syscall(SYS_tgkill, process->pid, process->pid, 0) && errno == ESRCH;
	return poll(&poller, 1, 0) == 1;
}

/* ---- threads and sessions ---- */

static struct worker *worker_of(struct process *process, int32_t tid)
{
	struct worker *grown;

	for (uint32_t i = process->n_workers; i-- > 0;)
		if (process->worker[i].tid == tid)
			return &process->worker[i];
	grown = realloc(process->worker, (process->n_workers + 1) * sizeof *grown);
	if (!grown)
		return NULL;
	process->worker = grown;
	process->worker[process->n_workers] = (struct worker){ .tid = tid };
	return &process->worker[process->n_workers++];
}

static uint32_t worker_track(struct agent_state *state, struct process *process, struct worker *worker, struct sink *out)
{
	struct err ignored;

	if (!worker->track) {
		struct track_def def = { .type = TRACK_THREAD, .parent = process_track(state, process, out), .name = worker->role,
					 .pid = process->pid, .tid = worker->tid };
		struct event event = { .type = EVENT_TRACK, .track = worker->track = sink_new_track(out), .def = &def };
		sink_put(out, &event, &ignored);
	}
	return worker->track;
}

static uint32_t thread_track(struct agent_state *state, struct process *process, struct reader *reader, struct sink *out)
{
	return reader->worker ? worker_track(state, process, &process->worker[reader->worker - 1], out) :
				process_track(state, process, out);
}

/* A thread of the runtime's own is shown even if it never runs an operator by itself; not thousands of them. */
static void name_worker(struct agent_state *state, struct process *process, struct worker *worker, uint32_t role, struct sink *out)
{
	worker->role = role;
	if (process->n_named++ < MAX_NAMED)
		worker_track(state, process, worker, out);
}

static struct session *session_of(struct process *process, uint32_t number)
{
	struct session *grown;

	if (number > 1u << 20)
		number = 0;
	if (number >= process->n_sessions) {
		uint32_t n = number + 64 + number / 2;
		grown = realloc(process->session, n * sizeof *grown);
		if (!grown)
			return NULL;
		memset(grown + process->n_sessions, 0, (n - process->n_sessions) * sizeof *grown);
		process->session = grown;
		process->n_sessions = n;
	}
	return &process->session[number];
}

static int note(struct sink *out, uint32_t track, uint64_t time_ns, const char *topic, const struct arg *args, size_t n,
		struct err *err)
{
	struct event event = { .type = EVENT_INSTANT, .kind = KIND_NOTE, .track = track, .name = names_of(out->names, topic),
			       .time_ns = time_ns, .args = args, .n_args = n };

	return sink_put(out, &event, err);
}

static int tell_runtime(struct agent_state *state, struct process *process, const struct segment_entry *entry,
			struct sink *out, uint64_t now_ns, struct err *err)
{
	struct arg args[7] = { arg_text(KEY_RUNTIME, out, "onnxruntime"), arg_name(KEY_VERSION, entry->text[1]),
			       arg_name(KEY_PATH, entry->text[0]), arg_name(KEY_TEXT, entry->text[2]),
			       arg_int(KEY_PID, process->pid) };
	size_t n = 5;

	process->has_runtime = true;
	if (state->use_ticks && state->clock.n) {
		uint64_t ticks = process->map.segment->arm_ticks;
		args[n++] = arg_int(KEY_ARM_NS, (int64_t)((double)ticks * state->clock.line[0].slope));
	}
	if (entry->text[3])
		args[n++] = arg_name(KEY_STATUS, entry->text[3]);
	return note(out, process_track(state, process, out), now_ns, EVENT_NOTE_RUNTIME, args, n, err);
}

static void learn_fact(struct process *process, const struct segment_entry *entry)
{
	struct session *session = session_of(process, entry->id);

	if (!session)
		return;
	if (entry->key == KEY_MODEL)
		session->model = entry->text[0];
	else if (entry->key == KEY_MODEL_PATH)
		session->path = entry->text[0];
	else if (entry->key == KEY_PROVIDERS)
		session->providers = entry->text[0];
	else if (entry->key == KEY_OPTIONS)
		session->options = entry->text[0];
	else if (entry->key == KEY_BYTES)
		session->bytes = entry->value;
}

static int read_dictionary(struct agent_state *state, struct process *process, struct sink *out, uint64_t now_ns,
			   struct err *err)
{
	struct segment_entry entry;
	struct worker *worker;
	int code = 0;

	while (!code && segment_next(&process->map, &entry)) {
		if (entry.kind == DICT_RUNTIME)
			code = tell_runtime(state, process, &entry, out, now_ns, err);
		else if (entry.kind == DICT_FACT)
			learn_fact(process, &entry);
		else if (entry.kind == DICT_ROLE && (worker = worker_of(process, (int32_t)entry.id)))
			name_worker(state, process, worker, entry.text[0], out);
	}
	return code;
}

/* ---- records ---- */

/* One record on its way to events. */
struct step {
	struct agent_state *state;
	struct process *process;
	struct reader *reader;
	const struct record *record;
	struct sink *out;
	uint64_t now_ns;
	struct err *err;
};

/* Bytes of "float32[1x3x224x224],int64[8]". */
static uint64_t shape_bytes(const char *text)
{
	static const struct { const char *name; unsigned bits; } types[] = {
		{ "float32", 32 }, { "uint8", 8 }, { "int8", 8 }, { "uint16", 16 }, { "int16", 16 }, { "int32", 32 },
		{ "int64", 64 }, { "bool", 8 }, { "float16", 16 }, { "float64", 64 }, { "uint32", 32 }, { "uint64", 64 },
		{ "complex64", 64 }, { "complex128", 128 }, { "bfloat16", 16 }, { "float8", 8 }, { "uint4", 4 }, { "int4", 4 },
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

static int put(const struct step *step, enum event_type type, enum event_kind kind, uint32_t track, uint32_t name,
	       uint64_t time_ns, const struct arg *args, size_t n)
{
	struct event event = { .type = type, .kind = kind, .track = track, .name = name, .time_ns = time_ns, .args = args,
			       .n_args = n };

	return sink_put(step->out, &event, step->err);
}

static int operator_end(const struct step *step, uint32_t track)
{
	const struct record *record = step->record;
	struct arg status = arg_name(KEY_STATUS, segment_text(&step->process->map, record->text));
	bool failed = record->flags & FLAG_FAILED;

	if (failed && !status.name)
		status.name = names_of(step->out->names, "failed");
	return put(step, EVENT_END, KIND_OPERATOR, track, 0, to_ns(step->state, record->value), &status, failed);
}

static int operator_record(const struct step *step)
{
	const struct record *record = step->record;
	struct segment_node node = segment_node(&step->process->map, record->id);
	uint32_t track = thread_track(step->state, step->process, step->reader, step->out);
	struct arg args[6];
	size_t n = 0;
	int code;

	if (record->type == RECORD_OPERATOR_END)
		return operator_end(step, track);
	if (node.type)
		args[n++] = arg_name(KEY_OP_TYPE, node.type);
	if (node.provider)
		args[n++] = arg_name(KEY_PROVIDER, node.provider);
	if (record->run)
		args[n++] = arg_int(KEY_INFERENCE, step->process->run_base + record->run);
	if (record->flags & FLAG_SHAPES) {
		uint32_t shapes = segment_text(&step->process->map, record->text);
		args[n++] = arg_name(KEY_SHAPES, shapes);
		args[n++] = arg_int(KEY_BYTES, (int64_t)shape_bytes(names_text(step->out->names, shapes)));
	}
	code = put(step, EVENT_BEGIN, KIND_OPERATOR, track, node.name ? node.name : node.type ? node.type : step->state->text_unknown,
		   to_ns(step->state, record->time), args, n);
	if (code || record->type == RECORD_OPERATOR_BEGIN)
		return code;
	return operator_end(step, track);
}

/* An event on a lane of the session's model, to be filled up. */
static struct lane_event *lane_event(const struct step *step, enum event_type type, enum event_kind kind, uint64_t ticks,
				     uint64_t lane)
{
	struct session *session = session_of(step->process, step->record->id);
	struct lane_event *event = lanes_add(&step->process->lanes);

	if (!event || !session)
		return NULL;
	event->type = type;
	event->kind = kind < N_KINDS ? kind : KIND_NONE;
	event->time_ns = to_ns(step->state, ticks);
	event->lane = lane < 64 ? (uint32_t)lane : 64 + (uint32_t)(step->reader - step->process->reader);
	event->session = (uint32_t)(session - step->process->session);
	if (kind == KIND_PROVIDER_READY)
		event->model = names_of(step->out->names, "providers");
	else
		event->model = kind == KIND_SESSION || kind == KIND_LOAD || kind == KIND_SPECIALIZE ? session->creating : session->model;
	if (!event->model)
		event->model = names_of(step->out->names, "unknown model");
	return event;
}

static void add(struct lane_event *event, struct arg arg)
{
	if (event->n_args < LANE_ARGS)
		event->arg[event->n_args++] = arg;
}

static void add_status(const struct step *step, struct lane_event *event, bool failed)
{
	uint32_t text = failed ? segment_text(&step->process->map, step->record->text) : step->state->text_ok;

	add(event, arg_name(KEY_STATUS, text ? text : names_of(step->out->names, "failed")));
}

static struct arg session_number(const struct step *step)
{
	if (step->record->id > step->process->last_session)
		step->process->last_session = step->record->id;
	return arg_int(KEY_SESSION, step->process->session_base + step->record->id);
}

static int run_begin(const struct step *step)
{
	const struct record *record = step->record;
	struct lane_event *event = lane_event(step, EVENT_BEGIN, KIND_INFERENCE, record->time, record->value);
	uint32_t tag = segment_text(&step->process->map, record->text);

	if (!event)
		return -ENOMEM;
	event->name = event->model;
	event->run = record->run;
	add(event, arg_name(KEY_MODEL, event->model));
	add(event, arg_int(KEY_INFERENCE, step->process->run_base + record->run));
	if (record->run > step->process->last_run)
		step->process->last_run = record->run;
	if (record->id)
		add(event, session_number(step));
	if (step->reader->worker)
		add(event, arg_int(KEY_TID, step->process->worker[step->reader->worker - 1].tid));
	if (tag)
		add(event, arg_name(KEY_TAG, tag));
	if (record->flags & FLAG_FIRST)
		add(event, arg_int(KEY_FIRST, 1));
	return 0;
}

static int run_inputs(const struct step *step)
{
	const struct record *record = step->record;
	struct lane_event *event = lanes_begin_of(&step->process->lanes, record->run);
	struct arg shapes = arg_name(KEY_SHAPES, segment_text(&step->process->map, record->text));
	struct arg batch = arg_int(KEY_BATCH, (int64_t)record->value);

	if (event) {
		add(event, shapes);
		if (record->value)
			add(event, batch);
		return 0;
	}
	step->reader->shapes_run = record->run;
	step->reader->shapes[0] = shapes;
	step->reader->shapes[1] = batch;
	return 0;
}

static int run_usage(const struct step *step)
{
	const struct record *record = step->record;
	struct arg *usage = step->reader->usage;

	step->reader->usage_run = record->run;
	usage[0] = arg_int(KEY_THREAD_CPU_NS, (int64_t)record->time);
	usage[1] = arg_int(KEY_RUN_QUEUE_NS, (int64_t)record->value);
	usage[2] = arg_int(KEY_FAULTS, record->id);
	usage[3] = arg_int(KEY_SWITCHES, record->text);
	return 0;
}

static int run_end(const struct step *step)
{
	const struct record *record = step->record;
	struct reader *reader = step->reader;
	struct lane_event *event = lane_event(step, EVENT_END, KIND_INFERENCE, record->time, record->value);

	if (!event)
		return -ENOMEM;
	event->run = record->run;
	add_status(step, event, record->flags & FLAG_FAILED);
	for (int i = 0; i < 4 && reader->usage_run == record->run; i++)
		add(event, reader->usage[i]);
	for (int i = 0; i < 2 && reader->shapes_run == record->run; i++)
		add(event, reader->shapes[i]);
	reader->usage_run = reader->shapes_run = 0;
	return 0;
}

static int setup(const struct step *step)
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

static int slice_begin(const struct step *step)
{
	const struct record *record = step->record;
	uint32_t name = segment_text(&step->process->map, record->text);
	struct session *session = session_of(step->process, record->id);
	struct lane_event *event;

	if (session && record->flags == KIND_SESSION)
		session->creating = session->model;
	event = lane_event(step, EVENT_BEGIN, record->flags, record->time, record->value);
	if (!event || !session)
		return -ENOMEM;
	event->name = name ? name : event->model;
	if (record->flags != KIND_SESSION)
		return 0;
	event->name = event->model;
	add(event, arg_name(KEY_MODEL, event->model));
	add(event, session_number(step));
	if (session->path)
		add(event, arg_name(KEY_MODEL_PATH, session->path));
	if (session->bytes)
		add(event, arg_int(KEY_BYTES, session->bytes));
	return 0;
}

static int created(const struct step *step, uint64_t time_ns)
{
	const struct record *record = step->record;
	struct session *session = session_of(step->process, record->id);
	struct arg args[8];
	size_t n = 0;

	if (!session)
		return -ENOMEM;
	args[n++] = arg_name(KEY_MODEL, session->model);
	args[n++] = session_number(step);
	if (session->providers)
		args[n++] = arg_name(KEY_PROVIDERS, session->providers);
	if (session->path)
		args[n++] = arg_name(KEY_MODEL_PATH, session->path);
	if (session->bytes)
		args[n++] = arg_int(KEY_BYTES, session->bytes);
	if (session->options)
		args[n++] = arg_name(KEY_OPTIONS, session->options);
	if (record->more & FLAG_FAILED)
		args[n++] = arg_name(KEY_STATUS, segment_text(&step->process->map, record->text));
	return note(step->out, process_track(step->state, step->process, step->out), time_ns, EVENT_NOTE_CREATED, args, n,
		    step->err);
}

static int slice_end(const struct step *step)
{
	const struct record *record = step->record;
	struct session *session = session_of(step->process, record->id);
	struct lane_event *event = lane_event(step, EVENT_END, record->flags, record->time, record->value);

	if (!event || !session)
		return -ENOMEM;
	if (record->more & (FLAG_MODIFIED | FLAG_UNMODIFIED))
		add(event, arg_int(KEY_MODIFIED, record->more & FLAG_MODIFIED ? 1 : 0));
	if (record->more & FLAG_COUNT)
		add(event, arg_int(KEY_CAPABILITIES, record->run));
	if (record->flags != KIND_SESSION)
		return 0;
	if (session->providers)
		add(event, arg_name(KEY_PROVIDERS, session->providers));
	if (session->model != session->creating && session->model)
		add(event, arg_name(KEY_MODEL, session->model));
	add_status(step, event, record->more & FLAG_FAILED);
	return created(step, step->now_ns);
}

static int slice(const struct step *step)
{
	const struct record *record = step->record;
	struct segment_node node = { 0, 0, 0 };
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
	return lane_event(step, EVENT_END, record->flags, record->value, record->run) ? 0 : -ENOMEM;
}

static int released(const struct step *step)
{
	struct session *session = session_of(step->process, step->record->id);
	struct arg args[2];

	if (!session)
		return -ENOMEM;
	args[0] = arg_name(KEY_MODEL, session->model);
	args[1] = session_number(step);
	return note(step->out, process_track(step->state, step->process, step->out), step->now_ns, EVENT_NOTE_RELEASED, args, 2,
		    step->err);
}

static int begin_thread(const struct step *step)
{
	struct worker *worker = worker_of(step->process, (int32_t)step->record->id);

	if (!worker)
		return -ENOMEM;
	step->reader->worker = (uint32_t)(worker - step->process->worker) + 1;
	return 0;
}

static int take(const struct step *step)
{
	switch (step->record->type) {
	case RECORD_OPERATOR:
	case RECORD_OPERATOR_BEGIN:
	case RECORD_OPERATOR_END:
		return operator_record(step);
	case RECORD_THREAD:
		return begin_thread(step);
	case RECORD_RUN_BEGIN:
		return run_begin(step);
	case RECORD_RUN_INPUTS:
		return run_inputs(step);
	case RECORD_RUN_USAGE:
		return run_usage(step);
	case RECORD_RUN_END:
		return run_end(step);
	case RECORD_SETUP:
		return setup(step);
	case RECORD_SLICE_BEGIN:
		return slice_begin(step);
	case RECORD_SLICE_END:
		return slice_end(step);
	case RECORD_SLICE:
		return slice(step);
	case RECORD_RELEASED:
		return released(step);
	}
	return 0;	/* RECORD_LOST and RECORD_MOVED only mark a place */
}

static int tell_lost(struct agent_state *state, struct process *process, struct sink *out, uint64_t now_ns, uint64_t count,
		     const char *where, struct err *err)
{
	struct arg args[2] = { arg_int(KEY_COUNT, (int64_t)count), arg_text(KEY_WHERE, out, where) };
	struct event event = { .type = EVENT_INSTANT, .kind = KIND_LOST, .track = process_track(state, process, out),
			       .name = names_of(out->names, "lost"), .time_ns = now_ns, .args = args, .n_args = 2 };

	return sink_put(out, &event, err);
}

/* Losses that the agent has counted since the last look. */
static int read_losses(struct agent_state *state, struct process *process, struct sink *out, uint64_t now_ns, struct err *err)
{
	struct segment *segment = process->map.segment;
	uint64_t dict = segment->dict_lost, rings = segment->ring_lost, bytes;
	char where[96];
	int code = 0;

	if (dict > process->dict_lost)
		code = tell_lost(state, process, out, now_ns, dict - process->dict_lost, "names, in the dictionary of the process", err);
	if (!code && rings > process->ring_lost)
		code = tell_lost(state, process, out, now_ns, rings - process->ring_lost, "threads that got no ring", err);
	if (!code && process->lanes.n_orphans)
		code = tell_lost(state, process, out, now_ns, process->lanes.n_orphans, "ends and parts whose begin was lost", err);
	process->lanes.n_orphans = 0;
	process->dict_lost = dict;
	process->ring_lost = rings;
	for (uint32_t i = 0; i < segment_rings(&process->map) && !code; i++) {
		struct ring *ring = segment_ring(&process->map, i, &bytes);
		struct reader *reader = &process->reader[i];
		uint64_t lost = ring ? __atomic_load_n(&ring->lost, __ATOMIC_RELAXED) : 0;
		if (lost <= reader->lost)
			continue;
		snprintf(where, sizeof where, "ring of thread %d, %llu KiB: full",
			 reader->worker ? process->worker[reader->worker - 1].tid : 0, (unsigned long long)bytes >> 10);
		code = tell_lost(state, process, out, now_ns, lost - reader->lost, where, err);
		reader->lost = lost;
	}
	return code;
}

/* All records published so far. *fill: the fullest ring, in percent. */
static int read_rings(struct agent_state *state, struct process *process, struct sink *out, uint64_t now_ns, unsigned *fill,
		      struct err *err)
{
	struct step step = { state, process, NULL, NULL, out, now_ns, err };
	int code = 0;

	for (uint32_t i = 0; i < segment_rings(&process->map) && !code; i++) {
		uint64_t bytes, total = 0;
		struct ring *ring = segment_ring(&process->map, i, &bytes);
		const struct record *records;
		size_t n = 0;

		step.reader = &process->reader[i];
		/* at most one lap, or a fast writer would keep us here */
		while (ring && !code && total < bytes / sizeof *records && (records = ring_read(ring, bytes, &n)) && n) {
			/* names that these records refer to were published before them */
			code = read_dictionary(state, process, out, now_ns, err);
			for (size_t r = 0; r < n && !code; r++) {
				step.record = &records[r];
				code = take(&step);
			}
			ring_read_done(ring, n);
			total += n;
		}
		state->n_events += total;
		if (ring && total * 100 / (bytes / sizeof *records) > *fill)
			*fill = (unsigned)(total * 100 / (bytes / sizeof *records));
		if (total * sizeof *records > 64 << 10)
			segment_forget(&process->map, i);
	}
	return code == -ENOMEM ? err_set(err, ENOMEM, "cannot read the agent's records: out of memory") : code;
}

static int note_process(struct agent_state *state, struct process *process, struct sink *out, uint64_t now_ns, struct err *err)
{
	struct segment *segment = process->map.segment;
	char reason[sizeof segment->reason + 32] = "no runtime was loaded";
	struct arg args[2] = { arg_int(KEY_PID, process->pid) };

	if (process->is_noted || (process->has_runtime && segment->state != SEGMENT_OFF))
		return 0;
	process->is_noted = true;
	if (segment->state == SEGMENT_OFF)
		snprintf(reason, sizeof reason, "the agent switched itself off: %.*s", (int)sizeof segment->reason - 1,
			 segment->reason);
	args[1] = arg_text(KEY_STATE, out, reason);
	return note(out, process_track(state, process, out), now_ns, EVENT_NOTE_PROCESS, args, 2, err);
}

static int drain_process(struct agent_state *state, struct process *process, struct sink *out, uint64_t now_ns,
			 unsigned *fill, bool is_last, struct err *err)
{
	uint64_t until_ns = is_last ? UINT64_MAX : clock_ns();
	int code = read_dictionary(state, process, out, now_ns, err);

	if (!code)
		code = read_rings(state, process, out, now_ns, fill, err);
	if (!code && process->lanes.n) {
		process_track(state, process, out);
		code = lanes_put(&process->lanes, out, until_ns, err);
	}
	if (!code)
		code = read_losses(state, process, out, now_ns, err);
	return !code && is_last ? note_process(state, process, out, now_ns, err) : code;
}

/* Another segment of the same process, newer: it has started another program since. */
static struct process *replaced_by(const struct agent_state *state, const struct process *process)
{
	for (size_t i = 0; i < state->n_processes; i++)
		if (state->process[i] != process && state->process[i]->pid == process->pid &&
		    state->process[i]->map.segment->started > process->map.segment->started)
			return state->process[i];
	return NULL;
}

/* Numbers go on in the process's next program. */
static void hand_on(const struct process *from, struct process *to)
{
	if (!to)
		return;
	to->session_base = from->session_base + from->last_session;
	to->run_base = from->run_base + from->last_run;
}

/* No agent has shown itself in any process. */
static int note_absent(struct agent_state *state, struct sink *out, uint64_t now_ns, struct err *err)
{
	struct arg args[2] = { arg_int(KEY_PID, state->target->pid),
			       arg_text(KEY_STATE, out, "the agent could not start in it: a limit on file size or memory "
				       "(ulimit -f, -v), or LD_PRELOAD was removed") };
	uint32_t track = state->target->tree->n ? state->target->tree->process[0].track : 0;

	return track ? note(out, track, now_ns, EVENT_NOTE_PROCESS, args, 2, err) : 0;
}

static int note_clock(struct agent_state *state, struct sink *out, uint64_t now_ns, struct err *err)
{
	struct arg args[2] = { arg_text(KEY_SOURCE, out, state->use_ticks ? "tsc" : "CLOCK_MONOTONIC"),
			       arg_int(KEY_ERROR_NS, (int64_t)(state->clock.error_ns + state->clock.width_ns)) };
	uint32_t track = state->target->tree->n ? state->target->tree->process[0].track : 0;

	return track ? note(out, track, now_ns, EVENT_NOTE_CLOCK, args, 2, err) : 0;
}

static int drain(void *opaque, struct sink *out, uint64_t now_ns, struct err *err)
{
	struct agent_state *state = opaque;
	unsigned fill = 0;
	int code = find_processes(state, out, now_ns, err);

	if (state->use_ticks)
		clock_map_update(&state->clock);
	for (size_t i = 0; i < state->n_processes && !code;) {
		struct process *process = state->process[i];
		struct process *next = replaced_by(state, process);
		bool is_last = has_ended(process) || next || state->target->is_ending;
		code = drain_process(state, process, out, now_ns, &fill, is_last, err);
		if (is_last)
			hand_on(process, next);
		if (code || !is_last || state->target->is_ending) {
			i++;
			continue;
		}
		unlink(process->path);
		process_free(process);
		state->process[i] = state->process[--state->n_processes];
	}
	if (!code && state->target->is_ending)
		code = note_clock(state, out, now_ns, err);
	if (!code && state->target->is_ending && !state->n_seen)
		code = note_absent(state, out, now_ns, err);
	/* come back sooner when a ring was filling up */
	state->due_ms = fill > 50 ? 1 : fill > 20 ? 5 : 20;
	return code;
}

static int due_ms(const void *opaque)
{
	const struct agent_state *state = opaque;

	return state->due_ms ? state->due_ms : 1;
}

static void stop(void *opaque)
{
	struct agent_state *state = opaque;

	for (size_t i = 0; i < state->n_processes; i++) {
		if (has_ended(state->process[i]))
			unlink(state->process[i]->path);
		process_free(state->process[i]);
	}
	free(state->process);
	state->process = NULL;
	state->n_processes = 0;
}

const struct source source_agent = {
	.name = "agent",
	.help = "models, sessions, inferences and operators, from inside the program",
	.state_size = sizeof(struct agent_state),
	.check = check,
	.start = start,
	.due_ms = due_ms,
	.drain = drain,
	.stop = stop,
};
