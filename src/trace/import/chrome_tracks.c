// SPDX-License-Identifier: Apache-2.0
/* Finds and defines the tracks of a trace of Chrome. Puts no slices. */
#include <errno.h>
#include <stdio.h>

#include "trace/import/chrome_in.h"

enum { MAX_LANES = 256, TEXT_MAX = 1000 };

static uint64_t hash_span(uint64_t hash, struct json_span span)
{
	hash = (hash ^ (span.start ? span.len : UINT64_MAX)) * 0x9e3779b97f4a7c15u;
	for (size_t i = 0; span.start && i < span.len; i++)
		hash = (hash ^ (uint8_t)span.start[i]) * 0x100000001b3u;
	return hash ^ hash >> 29;
}

uint64_t chrome_key(char kind, struct json_span a, struct json_span b, struct json_span c)
{
	return hash_span(hash_span(hash_span((uint64_t)(uint8_t)kind * 0xcbf29ce484222325u, a), b), c);
}

uint32_t chrome_text(struct names *names, struct json_span span)
{
	char text[TEXT_MAX];

	if (!span.start || !span.len)
		return 0;
	if (span.len < TEXT_MAX && !memchr(span.start, '\\', span.len))
		return names_intern(names, span.start, span.len);
	json_span_text(span, text, sizeof text);
	return names_of(names, text);
}

/* -1: it is none. inftrace's export numbers what has no number from 2^30 on. */
static int32_t number_of(struct json_span span, bool is_text)
{
	int64_t number;

	return !is_text && json_span_int(span, &number) && number >= 0 && number < 1 << 30 ? (int32_t)number : -1;
}

/* The index of a key, in an array whose last element is new if the key is. UINT32_MAX: out of memory. */
static uint32_t index_of(struct chrome_tracks *tracks, struct array *array, size_t size, uint64_t key, bool *is_new)
{
	uint32_t found = perfetto_map_get(&tracks->by_key, key);

	*is_new = !found;
	if (found)
		return found - 1;
	if (!array_add(array, size) || !perfetto_map_put(&tracks->by_key, key, (uint32_t)array->n))
		return UINT32_MAX;
	return (uint32_t)array->n - 1;
}

uint32_t chrome_process_of(struct chrome_tracks *tracks, const struct chrome_trace_event *event)
{
	struct json_span none = { NULL, 0 };
	uint64_t key = chrome_key('p', event->pid, none, none);
	bool is_new;
	uint32_t index = index_of(tracks, &tracks->processes, sizeof(struct chrome_process), key, &is_new);
	struct chrome_process *process;

	if (!is_new || index == UINT32_MAX)
		return index;
	process = (struct chrome_process *)tracks->processes.data + index;
	process->pid = number_of(event->pid, event->is_pid_text);
	if (process->pid < 0) {
		process->pid = 0;
		process->name = chrome_text(tracks->stream->out->names, event->pid);
	}
	return index;
}

uint32_t chrome_thread_of(struct chrome_tracks *tracks, const struct chrome_trace_event *event)
{
	struct json_span none = { NULL, 0 };
	uint64_t key = chrome_key('t', event->pid, event->tid, none);
	bool is_new;
	uint32_t process = chrome_process_of(tracks, event), index;
	struct chrome_thread *thread;

	if (process == UINT32_MAX)
		return UINT32_MAX;
	index = index_of(tracks, &tracks->threads, sizeof(struct chrome_thread), key, &is_new);
	if (!is_new || index == UINT32_MAX)
		return index;
	thread = (struct chrome_thread *)tracks->threads.data + index;
	thread->process = process;
	thread->tid = number_of(event->tid, event->is_tid_text);
	if (thread->tid < 0)
		thread->name = chrome_text(tracks->stream->out->names, event->tid);
	return index;
}

static struct chrome_process *process_at(struct chrome_tracks *tracks, uint32_t index)
{
	return (struct chrome_process *)tracks->processes.data + index;
}

/* "python", "python: GPU 0" of a device, which has the name of its process. */
static uint32_t name_of(struct chrome_tracks *tracks, const struct chrome_process *process)
{
	struct names *names = tracks->stream->out->names;
	char text[2 * TEXT_MAX];

	if (!process->label || process->pid)
		return process->name;
	if (!process->name)
		return process->label;
	snprintf(text, sizeof text, "%.200s: %.200s", names_text(names, process->name),
		 names_text(names, process->label));
	return names_of(names, text);
}

uint32_t chrome_process_track(struct chrome_tracks *tracks, uint32_t index)
{
	struct chrome_process *process = process_at(tracks, index);
	struct track_def def = { .type = TRACK_PROCESS, .pid = process->pid };

	if (!process->track) {
		def.name = name_of(tracks, process);
		process->track = slices_define(tracks->stream, &def);
	}
	return process->track;
}

/* inftrace's export gives what belongs to no process to one of this name. */
static bool is_machine(struct chrome_tracks *tracks, uint32_t index)
{
	const struct chrome_process *process = process_at(tracks, index);

	return !process->pid && !strcmp(names_text(tracks->stream->out->names, process->name), "machine");
}

/* A stream of a device is "stream 7". */
static uint32_t name_of_stream(struct chrome_tracks *tracks, const struct chrome_thread *thread)
{
	char text[40];

	if (thread->name || thread->tid < 0)
		return thread->name;
	snprintf(text, sizeof text, "stream %d", thread->tid);
	return names_of(tracks->stream->out->names, text);
}

struct slices *chrome_thread_slices(struct chrome_tracks *tracks, uint32_t index)
{
	struct chrome_thread *thread = (struct chrome_thread *)tracks->threads.data + index;
	const struct chrome_process *process = process_at(tracks, thread->process);
	bool is_thread = process->pid > 0 && thread->tid >= 0;
	struct track_def def = { .type = is_thread ? TRACK_THREAD : TRACK_LANE, .name = thread->name };

	if (thread->slices.track)
		return &thread->slices;
	if (is_machine(tracks, thread->process))
		def.type = TRACK_GROUP;
	else
		def.parent = chrome_process_track(tracks, thread->process);
	if (is_thread) {
		def.pid = process->pid;
		def.tid = thread->tid;
	} else {
		def.name = name_of_stream(tracks, thread);
	}
	if (def.parent || def.type == TRACK_GROUP)
		thread->slices.track = slices_define(tracks->stream, &def);
	return thread->slices.track ? &thread->slices : NULL;
}

static struct chrome_lane *add_lane(struct chrome_tracks *tracks, uint32_t index)
{
	struct chrome_process *process = process_at(tracks, index);
	struct names *names = tracks->stream->out->names;
	struct track_def group = { .type = TRACK_GROUP, .name = names_of(names, "asynchronous") };
	struct track_def def = { .type = TRACK_LANE };
	struct chrome_lane *lane;
	char name[40];

	group.parent = chrome_process_track(tracks, index);
	if (!process->async && group.parent)
		process->async = slices_define(tracks->stream, &group);
	if (!process->async)
		return NULL;
	snprintf(name, sizeof name, "lane %u", ++process->n_lanes);
	def.name = names_of(names, name);
	def.parent = process->async;
	lane = array_add(&tracks->lanes, sizeof *lane);
	if (!lane) {
		err_set(tracks->stream->err, ENOMEM, "out of memory");
		return NULL;
	}
	lane->process = index;
	lane->slices.track = slices_define(tracks->stream, &def);
	return lane->slices.track ? lane : NULL;
}

struct slices *chrome_lane_slices(struct chrome_tracks *tracks, uint32_t process, uint64_t key, uint64_t begin_ns,
				  uint64_t end_ns)
{
	struct chrome_lane *free = NULL;

	for (size_t i = 0; i < tracks->lanes.n; i++) {
		struct chrome_lane *lane = (struct chrome_lane *)tracks->lanes.data + i;

		if (lane->process != process)
			continue;
		if (lane->end_ns > begin_ns && lane->key == key)
			return &lane->slices;
		if (lane->end_ns <= begin_ns || process_at(tracks, process)->n_lanes == MAX_LANES)
			free = free ? free : lane;
	}
	free = free ? free : add_lane(tracks, process);
	if (!free)
		return NULL;
	free->key = key;
	free->end_ns = end_ns > free->end_ns ? end_ns : free->end_ns;
	return &free->slices;
}

/* inftrace writes the unit of a counter as the name of its only series. */
static bool is_unit(struct json_span series)
{
	return json_span_is(series, "bytes") || json_span_is(series, "%") || json_span_is(series, "count");
}

uint32_t chrome_counter_track(struct chrome_tracks *tracks, uint32_t process, uint32_t name, struct json_span series)
{
	struct names *names = tracks->stream->out->names;
	struct track_def def = { .type = TRACK_COUNTER, .name = name };
	uint64_t key = hash_span(((uint64_t)process << 32 | name) * 0x9e3779b97f4a7c15u, series);
	uint32_t track = perfetto_map_get(&tracks->by_key, key);
	char text[2 * TEXT_MAX];

	if (track)
		return track;
	if (is_unit(series)) {
		def.unit = names_intern(names, series.start, series.len);
	} else if (!json_span_is(series, "value") && series.len < TEXT_MAX) {
		snprintf(text, sizeof text, "%.200s %.200s", names_text(names, name),
			 names_text(names, chrome_text(names, series)));
		def.name = names_of(names, text);
	}
	if (!is_machine(tracks, process)) {
		def.pid = process_at(tracks, process)->pid;
		def.parent = chrome_process_track(tracks, process);
		if (!def.parent)
			return 0;
	}
	track = slices_define(tracks->stream, &def);
	if (track && !perfetto_map_put(&tracks->by_key, key, track)) {
		err_set(tracks->stream->err, ENOMEM, "out of memory");
		return 0;
	}
	return track;
}

int chrome_tracks_close(struct chrome_tracks *tracks)
{
	struct chrome_thread *threads = tracks->threads.data;
	struct chrome_lane *lanes = tracks->lanes.data;
	int code = 0;

	for (size_t i = 0; i < tracks->threads.n && !code; i++)
		code = slices_close(tracks->stream, &threads[i].slices, UINT64_MAX - 1);
	for (size_t i = 0; i < tracks->lanes.n && !code; i++)
		code = slices_close(tracks->stream, &lanes[i].slices, UINT64_MAX - 1);
	return code;
}

void chrome_tracks_done(struct chrome_tracks *tracks)
{
	array_done(&tracks->processes, sizeof(struct chrome_process));
	array_done(&tracks->threads, sizeof(struct chrome_thread));
	array_done(&tracks->lanes, sizeof(struct chrome_lane));
	perfetto_map_done(&tracks->by_key);
}
