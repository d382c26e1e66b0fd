/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a recording of which only the newest part is kept. A sink, like perfetto_write.h, for one thread.
 *
 *   x.pftrace.d/00000041.pftrace   the oldest segment that is kept
 *   x.pftrace.d/00000042.pftrace
 *   x.pftrace.d/00000043.pftrace   being written; when it is long enough, the next one begins and the oldest goes
 *   x.pftrace                      at the end: all of them in one file, and the folder is removed
 *
 * Segments are files of their own because no file system can cut a file at its begin, and a trace that overwrites
 * itself in place is broken while it is written. Each is a recording by itself (rotate_segment.c), so that at every
 * moment what is on the disk can be read: by the importer, which takes the folder as one recording, and segment by
 * segment by any tool that reads Perfetto traces. A recorder that is killed leaves the folder. Segments change only in
 * flush, never in put, because files are created with the rights that flush is called with.
 */
#ifndef TRACE_ROTATE_ROTATE_H
#define TRACE_ROTATE_ROTATE_H

#include <limits.h>
#include <stdbool.h>

#include "event/sink.h"
#include "trace/rotate/rotate_folder.h"

struct rotate;

enum { ROTATE_SEGMENTS = 10 }; /* what is kept, in segments */

struct rotate_opts {
	const char *path;	      /* of the recording; borrowed */
	const char *keep;	      /* how much is kept, as the user gave it; borrowed */
	uint64_t keep_ns, keep_bytes; /* at least so long, or at most about so much; 0: not limited by it */
	bool compress, overwrites;
	uint64_t dump_after_ns; /* how much of what follows belongs to a dump */
	uint32_t max_dumps;
	/*
	 * a dump is complete, or err says why there is none: EBUSY, another one is being written; EDQUOT, so many were
	 * written before; NULL: nobody wants to know
	 */
	void (*dumped)(void *ctx, const char *path, const char *why, const struct err *err);
	void *ctx;
	uint64_t (*now_ns)(void);	/* CLOCK_MONOTONIC; NULL: the clock */
	uint64_t (*left_bytes)(int fd); /* what may be written to the disk of this file; NULL: any amount */
};

/* names and last_track belong to the stream. NULL and err: the folder exists (-EEXIST) or cannot be made. */
struct rotate *rotate_new(struct names *names, uint32_t *last_track, const struct rotate_opts *opts, struct err *err);
/* flush and sync as those of the trace writer. n_bytes counts what was dropped since, too. */
struct sink *rotate_sink(struct rotate *rotate);
/* Bytes of the segments that are on the disk, as of the last flush. */
uint64_t rotate_kept_bytes(const struct rotate *rotate);
/* The descriptor of the segment that is being written. Valid as long as the object, changes with flush. */
const int *rotate_fd(const struct rotate *rotate);
/*
 * Asks for a dump: what is kept at the moment, and what follows for dump_after_ns, goes to x.dump-0001.pftrace while
 * recording goes on. What is kept grows meanwhile: up to twice as much, and the dump. While one is made, and beyond
 * max_dumps, none is made, but counted in the recording.
 */
void rotate_ask_dump(struct rotate *rotate, const char *why);
/* The time that the newest dump covers, and its file, which is complete some time after that. */
struct rotate_dumped {
	uint64_t begin_ns, until_ns;
	struct rotate_path path;
	char why[240];
};

/* false: there is none. */
bool rotate_newest_dump(const struct rotate *rotate, struct rotate_dumped *dumped);
/*
 * Completes the recording, joins its segments and frees. 0; or -errno and err: the segments stay in their folder, which
 * is a recording, too. path (PATH_MAX bytes) gets the file or the folder.
 */
int rotate_close(struct rotate *rotate, char *path, struct err *err);
/* Removes the segments and frees; NULL does nothing. */
void rotate_drop(struct rotate *rotate);

#endif
