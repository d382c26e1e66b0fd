/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recording in memory, and the answers that the page of `inftrace view` gets from it: tiles of the timeline and of
 * counters, slices, tables, the report. doc/view-protocol.md has their form. Serves nothing itself (http.h).
 */
#ifndef SHOW_VIEW_VIEW_H
#define SHOW_VIEW_VIEW_H

#include "base/err.h"
#include "event/sink.h"
#include "show/view/http/http.h"

struct view;

/* Who is told while a large file is being read, every few milliseconds. */
struct view_wait {
	/* So many have come, which are so much of the file: from 0 to 1, NAN: not known. */
	void (*turn)(void *ctx, uint64_t n_events, double share);
	void *ctx;
};

/*
 * Reads a recording, or another file that can be imported. path is borrowed for the view's life. is_written: whether
 * the file is still being written. wait: NULL: nobody. NULL and err: no such file, none of a known format, damaged, or
 * out of memory.
 */
struct view *view_open(const char *path, bool (*is_written)(const char *path), const struct view_wait *wait,
		       struct err *err);

struct view_live_opts {
	const char *name;     /* what is shown in place of a file's name: a command line, "all programs" */
	const char *file;     /* the recording is written to, too; NULL: to none */
	uint64_t window_ns;   /* how much is kept, at least */
	uint64_t max_bytes;   /* of memory for it; older parts lose detail */
	uint64_t interval_ns; /* between two events that tell pages what has come */
	const char *problem;  /* why nothing comes; NULL: something may */
};

/*
 * A view of what happens now, of the stream whose events its sinks get. names and last_track are those of the stream;
 * they and opts are borrowed for the view's life. NULL and err: out of memory.
 */
struct view *view_live_open(struct names *names, uint32_t *last_track, const struct view_live_opts *opts,
			    struct err *err);
/* n sinks, borrowed; none of them fails. */
struct sink *const *view_live_sinks(const struct view *view, size_t *n);
/* The stream has ended; what was kept can be looked at until view_close. The event that tells pages so, borrowed. */
const char *view_live_end(struct view *view);

void view_close(struct view *view); /* NULL does nothing */
/* Answers requests, and follows the file; valid until view_close. */
struct http_handler view_handler(struct view *view);

#endif
