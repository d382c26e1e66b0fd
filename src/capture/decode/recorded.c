// SPDX-License-Identifier: Apache-2.0
/* The state of a recorded process between two reads of its rings. Does not interpret records. */
#include "capture/decode/recorded.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/proc/namespace.h"
#include "capture/proc/package_version.h"
#include "capture/proc/proc.h"

static void find_pid(struct recorded *process)
{
	const struct segment *segment = process->map.segment;

	process->pid = segment->pid;
	if (!segment->pid_namespace || segment->pid_namespace == namespace_own())
		return;
	process->is_elsewhere = true;
	process->pid = namespace_pid(segment->pid_namespace, segment->pid);
	if (!process->pid)
		process->pid = NAMESPACE_UNKNOWN;
}

static int32_t outer_tid(const struct recorded *process, int32_t tid)
{
	int32_t outer;

	if (!process->is_elsewhere)
		return tid;
	if (tid == process->map.segment->pid)
		return process->pid;
	outer = namespace_tid(process->pid, tid);
	return outer ? outer : NAMESPACE_UNKNOWN + tid % NAMESPACE_UNKNOWN;
}

struct recorded *recorded_open(const char *path, struct names *names, struct clock_map *clock, struct err *err)
{
	struct recorded *process = calloc(1, sizeof *process);

	if (!process) {
		err_no_memory(err, "cannot record another process");
		return NULL;
	}
	process->pidfd = -1;
	process->clock = clock;
	snprintf(process->path, sizeof process->path, "%s", path);
	if (segment_open(&process->map, path, names, err)) {
		free(process);
		return NULL;
	}
	find_pid(process);
	return process;
}

struct recorded *recorded_new(pid_t pid, uint32_t track, struct names *names, struct err *err)
{
	struct recorded *process = calloc(1, sizeof *process);

	if (!process) {
		err_no_memory(err, "cannot record another process");
		return NULL;
	}
	process->pidfd = -1;
	process->pid = pid;
	process->track = process->lanes.process_track = track;
	process->map.names = names;
	return process;
}

void recorded_close(struct recorded *process)
{
	if (!process)
		return;
	if (process->pidfd >= 0)
		close(process->pidfd);
	segment_close(&process->map);
	lanes_done(&process->lanes);
	memory_done(&process->memory);
	device_done(&process->device);
	free(process->annotations.counter);
	workers_done(&process->workers);
	sessions_done(&process->sessions);
	free(process);
}

/* As its agent told it. */
static uint32_t own_name(const struct recorded *process, struct sink *out)
{
	const struct segment *segment = process->map.segment;

	return segment ? names_pass(out->names, segment->command, strnlen(segment->command, sizeof segment->command))
		       : 0;
}

/* The process's track; it may have been unknown to the tree when the segment appeared. */
uint32_t recorded_track(struct recorded *process, struct sink *out)
{
	struct err ignored;

	if (!process->track) {
		struct track_def def = { .type = TRACK_PROCESS, .pid = process->pid, .name = own_name(process, out) };
		struct event event = { .type = EVENT_TRACK, .track = sink_new_track(out), .def = &def };
		process->track = process->lanes.process_track = event.track;
		sink_put(out, &event, &ignored);
	}
	return process->track;
}

/* What the kernel calls the thread; 0: it has ended. */
static uint32_t thread_name(const struct recorded *process, int32_t tid, struct sink *out)
{
	char file[48], text[64];
	ssize_t got;

	snprintf(file, sizeof file, "task/%d/comm", (int)tid);
	got = tid > 0 ? proc_read("", process->pid, file, text, sizeof text) : 0;
	if (got > 0 && text[got - 1] == '\n')
		got--;
	return got > 0 ? names_pass(out->names, text, (size_t)got) : 0;
}

static uint32_t define(struct sink *out, const struct track_def *def)
{
	struct event event = { .type = EVENT_TRACK, .track = sink_new_track(out), .def = def };
	struct err ignored;

	sink_put(out, &event, &ignored);
	return event.track;
}

/* A line of many threads, one after the other. */
static uint32_t shared_line(struct recorded *process, struct sink *out)
{
	struct workers *workers = &process->workers;
	struct track_def group = { .type = TRACK_GROUP, .name = names_of(out->names, "later threads") };
	struct track_def line = { .type = TRACK_LANE };
	char name[32];

	group.parent = recorded_track(process, out);
	if (!workers->group)
		workers->group = define(out, &group);
	snprintf(name, sizeof name, "threads %u", ++workers->n_lines);
	line.parent = workers->group;
	line.name = names_of(out->names, name);
	return define(out, &line);
}

static uint32_t worker_track(struct recorded *process, struct worker *worker, struct sink *out)
{
	struct track_def def = { .type = TRACK_THREAD, .pid = process->pid, .tid = worker->tid };

	if (worker->track)
		return worker->track;
	if (worker->is_shared)
		return worker->track = shared_line(process, out);
	def.parent = recorded_track(process, out);
	def.name = worker->role ? worker->role : thread_name(process, worker->tid, out);
	return worker->track = define(out, &def);
}

/* The thread before on this line died in operators. */
static int close_open(struct worker *worker, uint64_t time_ns, struct sink *out, struct err *err)
{
	struct arg partial = arg_int(KEY_PARTIAL, 1);
	struct event end = { EVENT_END, .track = worker->track, .time_ns = time_ns, .args = &partial, .n_args = 1 };
	int code = 0;

	for (; worker->track && worker->depth && !code; worker->depth--)
		code = sink_put(out, &end, err);
	end.track = worker->annotations.track;
	for (; end.track && worker->annotations.depth && !code; worker->annotations.depth--)
		code = sink_put(out, &end, err);
	worker->depth = worker->annotations.depth = 0;
	return code;
}

/* The thread of this ring has ended; all its events lie before. */
static void end_thread(struct recorded *process, struct reader *reader, uint64_t before_ns)
{
	if (reader->worker)
		workers_end(&process->workers, &process->workers.at[reader->worker - 1], before_ns);
	reader->worker = 0;
}

/* What is open in the ring that the thread left goes on in this one, unless another thread has begun there. */
static void follow(struct reader *reader, struct reader *left)
{
	struct reader was = *reader;

	if (left->worker || left == reader)
		return;
	*reader = *left;
	reader->worker = was.worker;
	reader->tid = was.tid;
	reader->head = was.head;
	reader->lost = was.lost;
	*left = (struct reader){ .tid = left->tid, .head = left->head, .lost = left->lost };
}

int recorded_begin_thread(struct recorded *process, struct reader *reader, int32_t tid, uint64_t begin_ns,
			  struct sink *out, struct err *err)
{
	struct workers *workers = &process->workers;
	uint32_t ring = (uint32_t)(reader - process->reader) + 1, before = reader->worker;
	struct worker *worker = workers_find(workers, tid);
	int code = 0;

	if (!worker || worker->ring != ring)
		end_thread(process, reader, begin_ns);
	if (worker && !worker->ring && worker->left_ring)
		follow(reader, &process->reader[worker->left_ring - 1]);
	/* the number of one that has ended in another ring, whom nobody has followed there */
	if (worker && worker->ring && worker->ring != ring)
		end_thread(process, &process->reader[worker->ring - 1], begin_ns);
	if (worker && worker->is_free)
		worker = NULL;
	if (!worker) {
		worker = workers_add(workers, tid, begin_ns, before);
		if (!worker)
			return -ENOMEM;
		worker->tid = outer_tid(process, tid);
		code = close_open(worker, begin_ns, out, err);
	}
	worker->ring = ring;
	worker->left_ring = 0;
	reader->worker = workers_number(workers, worker) + 1;
	reader->tid = worker->tid;
	return code;
}

void recorded_leave_ring(struct recorded *process, struct reader *reader)
{
	if (reader->worker) {
		struct worker *worker = &process->workers.at[reader->worker - 1];

		worker->left_ring = worker->ring;
		worker->ring = 0;
	}
	reader->worker = 0;
}

int recorded_share(struct recorded *process, struct sink *out, struct err *err)
{
	const struct segment *segment = process->map.segment;
	uint64_t bytes, now_ns = clock_ns();
	int code = 0;

	segment_share(&process->map);
	process->dict_lost = segment->dict_lost;
	process->texts_lost = segment->texts_lost;
	process->ring_lost = segment->ring_lost;
	for (uint32_t i = 0; i < segment_rings(&process->map) && !code; i++) {
		const struct ring *ring = segment_ring(&process->map, i, &bytes);
		int32_t tid = ring ? __atomic_load_n(&ring->tid, __ATOMIC_RELAXED) : 0;

		process->reader[i].lost = ring ? __atomic_load_n(&ring->lost, __ATOMIC_RELAXED) : 0;
		/* the record that says so was written before */
		if (tid)
			code = recorded_begin_thread(process, &process->reader[i], tid, now_ns, out, err);
	}
	return code;
}

uint32_t recorded_define_thread(struct recorded *process, const struct reader *reader, struct sink *out)
{
	return reader->worker ? worker_track(process, &process->workers.at[reader->worker - 1], out)
			      : recorded_track(process, out);
}

/* The runtime's own threads are shown even if they never run an operator; but not hundreds of them. */
static void name_worker(struct recorded *process, int32_t tid, uint32_t role, struct sink *out)
{
	struct worker *worker = workers_find(&process->workers, tid);

	if (!worker && process->n_named < MAX_ROLES && (worker = workers_add(&process->workers, tid, 0, 0)))
		worker->tid = outer_tid(process, tid);
	if (!worker || worker->track)
		return;
	worker->role = role;
	worker->is_shared = false;
	if (process->n_named++ < MAX_NAMED)
		worker_track(process, worker, out);
}

int recorded_note(struct sink *out, const char *topic, const struct event *of, struct err *err)
{
	struct event event = *of;

	event.type = EVENT_INSTANT;
	event.kind = KIND_NOTE;
	event.name = names_of(out->names, topic);
	return sink_put(out, &event, err);
}

/* A duration in the process's ticks; 0: unknown. */
static uint64_t in_ns(const struct recorded *process, uint64_t ticks)
{
	if (!process->clock || !process->clock->n)
		return 0;
	return (uint64_t)((double)ticks * process->clock->line[0].slope);
}

/* Where the runtime itself does not hold it: that of its package. 0: not known. */
static uint32_t version_of(const struct recorded *process, const struct segment_entry *entry, struct sink *out)
{
	const char *own = names_text(out->names, entry->text[1]), *path = names_text(out->names, entry->text[0]);
	char root[32], version[64];

	if (!path || (own && *own))
		return entry->text[1];
	snprintf(root, sizeof root, "/proc/%d/root", (int)process->pid);
	return package_version(root, path, version, sizeof version) ||
		       package_version("", path, version, sizeof version)
		   ? names_of(out->names, version)
		   : entry->text[1];
}

int recorded_tell_runtime(struct recorded *process, const struct segment_entry *entry, uint64_t arm_ns,
			  struct sink *out, uint64_t now_ns, struct err *err)
{
	struct arg args[9] = { arg_name(KEY_RUNTIME, entry->text[4]),
			       arg_name(KEY_VERSION, version_of(process, entry, out)),
			       arg_name(KEY_PATH, entry->text[0]), arg_name(KEY_TEXT, entry->text[2]),
			       arg_int(KEY_PID, process->pid) };
	size_t n = 5;

	uint64_t usage_ns = process->map.segment ? in_ns(process, process->map.segment->usage_ticks) : 0;

	process->has_runtime = true;
	if (arm_ns)
		args[n++] = arg_int(KEY_ARM_NS, (int64_t)arm_ns);
	if (usage_ns)
		args[n++] = arg_int(KEY_USAGE_NS, (int64_t)usage_ns);
	if (entry->text[3])
		args[n++] = arg_name(KEY_STATUS, entry->text[3]);
	if (entry->value)
		args[n++] = arg_int(KEY_FROM_NS, (int64_t)recorded_ns(process, (uint64_t)entry->value));
	return recorded_note(
	    out, EVENT_NOTE_RUNTIME,
	    &(struct event){ .track = recorded_track(process, out), .time_ns = now_ns, .args = args, .n_args = n },
	    err);
}

static void learn_fact(struct recorded *process, const struct segment_entry *entry)
{
	struct session *session = sessions_at(&process->sessions, entry->id);

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
	else if (entry->key == KEY_RUNTIME)
		session->runtime = entry->text[0];
	else if (entry->key == KEY_BYTES)
		session->bytes = entry->value;
}

static void learn_session(struct recorded *process, const struct segment_entry *entry)
{
	struct session *session = sessions_at(&process->sessions, entry->id);

	if (!session)
		return;
	session->model = entry->text[0];
	session->path = entry->text[1];
	session->providers = entry->text[2];
	session->bytes = entry->value;
	session->object = entry->object;
}

static void learn_allocator(struct recorded *process, const struct segment_entry *entry)
{
	struct memory_allocator *allocator = memory_allocator(&process->memory, entry->id);

	if (!allocator)
		return;
	allocator->is_known = true;
	allocator->account = MEMORY_NO_ACCOUNT;
	allocator->device = entry->text[0];
	allocator->name = entry->text[1];
	allocator->session = entry->key ? (uint32_t)process->session_base + entry->key : 0;
	allocator->is_behind_arena = entry->value & 1;
	allocator->is_arena = entry->value & 2;
}

static int tell_missing(struct recorded *process, const struct segment_entry *entry, struct sink *out, uint64_t now_ns,
			struct err *err)
{
	struct arg args[3] = { arg_int(KEY_PID, process->pid), arg_name(KEY_SOURCE, entry->text[0]),
			       arg_name(KEY_TEXT, entry->text[1]) };

	/* only kernels of devices may be missing or not */
	process->device.is_begun |= !entry->text[1];
	if (!entry->text[1])
		return 0;
	return recorded_note(
	    out, EVENT_NOTE_STOPPED,
	    &(struct event){ .track = recorded_track(process, out), .time_ns = now_ns, .args = args, .n_args = 3 },
	    err);
}

int recorded_read_names(struct recorded *process, struct sink *out, uint64_t now_ns, struct err *err)
{
	struct segment_entry entry;
	int code = 0;

	while (!code && segment_next(&process->map, &entry)) {
		if (entry.kind == DICT_MISSING)
			code = tell_missing(process, &entry, out, now_ns, err);
		else if (entry.kind == DICT_RUNTIME)
			code = recorded_tell_runtime(process, &entry, in_ns(process, process->map.segment->arm_ticks),
						     out, now_ns, err);
		else if (entry.kind == DICT_FACT)
			learn_fact(process, &entry);
		else if (entry.kind == DICT_SESSION)
			learn_session(process, &entry);
		else if (entry.kind == DICT_ALLOCATOR)
			learn_allocator(process, &entry);
		else if (entry.kind == DICT_ROLE)
			name_worker(process, (int32_t)entry.id, entry.text[0], out);
		else if (entry.kind == DICT_OTHER && entry.text[0] && process->n_others < RECORDED_OTHERS)
			process->other[process->n_others++] = (struct recorded_other){ entry.text[0], entry.text[1] };
	}
	return code;
}

int recorded_lost(struct recorded *process, struct sink *out, uint64_t now_ns, uint64_t count, const char *where,
		  struct err *err)
{
	struct arg args[2] = { arg_int(KEY_COUNT, (int64_t)count), arg_text(KEY_WHERE, out, where) };
	struct event event = { .type = EVENT_INSTANT,
			       .kind = KIND_LOST,
			       .track = recorded_track(process, out),
			       .name = names_of(out->names, "lost"),
			       .time_ns = now_ns,
			       .args = args,
			       .n_args = 2 };

	return sink_put(out, &event, err);
}
