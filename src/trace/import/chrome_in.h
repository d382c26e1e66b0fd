/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the reader of Chrome's traces. */
#ifndef TRACE_IMPORT_CHROME_IN_H
#define TRACE_IMPORT_CHROME_IN_H

#include "base/array.h"
#include "base/text/json_read.h"
#include "event/names.h"
#include "trace/import/importer.h"
#include "trace/import/slices.h"
#include "trace/perfetto/perfetto_map.h"

/*
 * Reads Chrome's JSON trace, event by event, in the order of the file: an array of events, or an object that has one as
 * "traceEvents". Knows the fields of an event; import_chrome.c knows what they mean.
 */
/* Spans point into the file; texts are still escaped. A span without start: the event does not have it. */
struct chrome_trace_event {
	const char *begin; /* in the file */
	char phase, scope; /* scope: of instants, g, p or t; 0: none */
	bool has_ts, has_dur;
	bool is_pid_text, is_tid_text; /* "pid":"Spans": a name instead of a number */
	uint64_t ts_ns, dur_ns;
	bool has_cpu, has_cpu_dur;
	uint64_t cpu_ns, cpu_dur_ns;			     /* CPU time of the thread: then, and in the slice */
	struct json_span name, category, pid, tid, id, args; /* args: the whole object */
};

/* First member of a consumer. */
struct chrome_trace {
	/* Takes one event. 0; any other code ends reading and is returned, with err set by take. */
	int (*take)(struct chrome_trace *trace, const struct chrome_trace_event *event, struct err *err);

	/* Results. */
	uint64_t n_events, n_unread; /* unread: without a phase, or with an impossible time */
	uint64_t n_damaged;	     /* not JSON, and passed over; */
	uint64_t damaged_at;	     /* where the first is broken */
	bool is_cut;
	uint64_t cut_at; /* offset of the first incomplete event */
	bool has_base;	 /* of PyTorch's: */
	int64_t base_ns; /* what its times count from, since 1970 */
};

/* Whether these can be the first bytes of such a file. */
bool chrome_trace_sniff(const char *first, size_t size);
/*
 * 0, or -errno and err: not JSON from a byte on, without an event behind it, or an error of take. Events before were
 * taken.
 */
int chrome_trace_read(struct chrome_trace *trace, const struct import_bytes *in, struct err *err);

/*
 * Arguments of an event that have no key of ours, joined to one text: a JSON object in one line. An object that would
 * be longer than CHROME_ARGS_MAX is left out, and counted.
 */
enum { CHROME_ARGS_MAX = 4000 };

/* Zeroed; of one event until it is taken. */
struct chrome_args {
	char text[CHROME_ARGS_MAX];
	size_t len;
	bool is_full;
	uint64_t n_long;
};

/* Adds one. value: of texts without the quotes, of objects and arrays with their brackets. */
void chrome_args_member(struct chrome_args *args, struct json_span key, enum json_token token, struct json_span value);
/* Adds all members of an object; a span without start, and an empty one, do nothing. */
void chrome_args_object(struct chrome_args *args, struct json_span object);
/* The text as an id that may be a passing one, and begins anew; 0: there are none, or they are too long. */
uint32_t chrome_args_take(struct chrome_args *args, struct names *names);

/*
 * The tracks of a trace of Chrome: processes and threads, which its events name by pid and tid, numbers or texts; lanes
 * for asynchronous slices; counters. A track is defined when the first event is put on it, with the name that the file
 * gives it anywhere.
 */
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
