/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tracks of a trace of Chrome: processes and threads, which its events name by pid and tid, numbers or texts; lanes
 * for asynchronous slices; counters. A track is defined when the first event is put on it, with the name that the file
 * gives it anywhere.
 */
#ifndef TRACE_IMPORT_CHROME_TRACKS_H
#define TRACE_IMPORT_CHROME_TRACKS_H

#include "base/array.h"
#include "trace/import/chrome_trace.h"
#include "trace/import/slices.h"
#include "trace/perfetto/perfetto_map.h"

struct chrome_process {
	uint32_t track; /* 0: not defined yet */
	int32_t pid;	/* 0: unknown, or a device */
	uint32_t name, label;
	uint32_t async; /* the group of its lanes; 0: none yet */
	uint32_t n_lanes;
};

struct chrome_thread {
	uint32_t process; /* index */
	int32_t tid;	  /* -1: it is not a number */
	uint32_t name;
	uint32_t open; /* the last slice on it that has no end yet, for import_chrome.c; 0: none */
	struct slices slices;
};

struct chrome_lane {
	uint32_t process; /* index */
	uint64_t key, end_ns;
	struct slices slices;
};

/* Zeroed except for stream. */
struct chrome_tracks {
	struct slices_stream *stream;
	struct array processes, threads, lanes;
	struct perfetto_map by_key; /* what an event names: index + 1 */
};

/* A number for what the parts say; parts without start count, too. */
uint64_t chrome_key(char kind, struct json_span a, struct json_span b, struct json_span c);
/* The text of a span, its escapes resolved, as an id. */
uint32_t chrome_text(struct names *names, struct json_span span);

/* Indexes of what the event names, made if new; UINT32_MAX: out of memory. */
uint32_t chrome_process_of(struct chrome_tracks *tracks, const struct chrome_trace_event *event);
uint32_t chrome_thread_of(struct chrome_tracks *tracks, const struct chrome_trace_event *event);

/* Defined tracks; 0 and the stream's err: out of memory, or the sink is broken. */
uint32_t chrome_process_track(struct chrome_tracks *tracks, uint32_t process);
struct slices *chrome_thread_slices(struct chrome_tracks *tracks, uint32_t thread);
/* A lane on which nothing else runs at that time, or the one where a slice with the same key does. */
struct slices *chrome_lane_slices(struct chrome_tracks *tracks, uint32_t process, uint64_t key, uint64_t begin_ns,
				  uint64_t end_ns);
uint32_t chrome_counter_track(struct chrome_tracks *tracks, uint32_t process, uint32_t name, struct json_span series);

/* Ends every open slice that has an end. 0, or -errno and err. */
int chrome_tracks_close(struct chrome_tracks *tracks);
void chrome_tracks_done(struct chrome_tracks *tracks);

#endif
