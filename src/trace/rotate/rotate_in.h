/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a recording in segments. */
#ifndef TRACE_ROTATE_ROTATE_IN_H
#define TRACE_ROTATE_ROTATE_IN_H

#include <stdbool.h>

#include "base/array.h"
#include "event/sink.h"
#include "trace/perfetto/perfetto_write.h"

/*
 * What a recording says at the moment: its tracks, the slices that are open, and the notes that still hold (the
 * recording, processes, runtimes, sessions). A segment repeats them, so that it is a recording by itself. Bounded: of
 * more than MAX_NOTES notes the oldest are forgotten, of a process that has ended all. One thread.
 */
struct rotate_track {
	struct track_def def;
	char *name, *command;	    /* texts of its definition whose ids are passing ones; NULL: none */
	uint32_t segment;	    /* the last one that defines it; 0: none */
	bool is_defined, has_ended; /* has_ended: the track of a process that has ended */
	struct array open;	    /* struct rotate_slice, outermost first */
	uint32_t n_too_deep;	    /* open slices beyond those */
};

struct rotate_live {
	struct names *names;
	struct rotate_track *track; /* by number */
	uint32_t n_tracks;
	struct array notes; /* struct rotate_note */
	uint32_t topic[16]; /* names of the notes that are kept */
	uint32_t released, exit, recording;
	uint32_t own_track; /* of notes about the recording; 0: none yet */
};

/* 0, or -ENOMEM and err; here and below. */
int rotate_live_init(struct rotate_live *live, struct names *names, struct err *err);
void rotate_live_done(struct rotate_live *live);
/* Takes an event of the stream in. An EVENT_TRACK_END is rotate_live_end's. */
int rotate_live_put(struct rotate_live *live, const struct event *event, struct err *err);
/* Puts the end of a track, if the segment has defined it, and forgets the track. */
int rotate_live_end(struct rotate_live *live, uint32_t track, uint32_t segment, struct sink *out, struct err *err);
/* Puts the definition of a track that the segment has not defined yet, after that of its parents; else nothing. */
int rotate_live_define(struct rotate_live *live, uint32_t track, uint32_t segment, struct sink *out, struct err *err);
/* The same for every process that goes on. */
int rotate_live_define_all(struct rotate_live *live, uint32_t segment, struct sink *out, struct err *err);
/*
 * Puts what is open and the notes that hold, with KEY_CONTINUED. Slices have their own times. Notes lie at the begin of
 * the segment, or up to a second before it, so that a recording of the last minutes does not begin a week ago. Tracks
 * are defined for `out` alone, as `segment`.
 */
int rotate_live_repeat(struct rotate_live *live, uint32_t segment, uint64_t now_ns, struct sink *out, struct err *err);

static inline bool rotate_live_has(const struct rotate_live *live, uint32_t track, uint32_t segment)
{
	return track < live->n_tracks && live->track[track].segment == segment;
}

/*
 * One segment of a recording, a recording by itself:
 *
 *   head | what is open, and notes that hold (KEY_CONTINUED) | head, events
 *                                                            ^ body_at
 *
 * From body_at on it continues the segment before: the bodies of consecutive segments, behind the whole of the first,
 * are one recording. The middle part is on sequences of its own, so that what follows does not depend on it. A reader
 * that gets several segments in one leaves the middle part of all but the first out.
 */
struct rotate_segment {
	uint64_t number; /* of the file; from 1 */
	uint64_t begin_ns;
	uint64_t body_at, bytes; /* bytes: once it is complete */
	uint64_t n_events;	 /* slices and instants */
};

/* The stream that segments are written of. */
struct rotate_stream {
	struct names *names;
	uint32_t *last_track;
	struct rotate_live *live;
	uint64_t salt;
	bool compress;
	int folder; /* descriptor */
};

/*
 * Creates the file of segment->number with its head. The writer, and *fd, which the caller closes after it; NULL and
 * err: no file is left.
 */
struct perfetto_writer *rotate_segment_open(struct rotate_segment *segment, const struct rotate_stream *stream, int *fd,
					    struct err *err);

/* What tells the tracks that a segment's body has defined from those of its middle part. */
static inline uint32_t rotate_segment_body(const struct rotate_segment *segment)
{
	return 2 * (uint32_t)segment->number + 1;
}

/*
 * Joins segments in one file: the whole of the first, the bodies of the others. The file appears under its name when it
 * is complete, and never replaces another one. The kernel copies; where the file system shares blocks, none is copied.
 */
struct rotate_copy {
	int folder;    /* borrowed */
	int to;	       /* -1: not begun */
	char part[32]; /* the file's name in the folder until it is complete */
	uint64_t bytes;
};

/* Begins a copy of that name, NAME.part in the folder. 0, or -errno and err. */
int rotate_copy_begin(struct rotate_copy *copy, int folder, const char *name, struct err *err);
/*
 * Copies at most max bytes of a segment of `end` bytes from *at on, which moves on. 0, or -errno and err; the copy is
 * then to be dropped.
 */
int rotate_copy_add(struct rotate_copy *copy, uint64_t number, uint64_t *at, uint64_t end, uint64_t max,
		    struct err *err);
/* Gives the file its name. 0, or -errno and err: -EEXIST, there is one; the copy is then to be dropped. */
int rotate_copy_end(struct rotate_copy *copy, const char *path, struct err *err);
/* Removes what was copied; harmless after the end, and where nothing has begun. */
void rotate_copy_drop(struct rotate_copy *copy);
/* Moves a segment to a name that does not exist. 0, or -errno and err. */
int rotate_copy_move(int folder, const char *name, const char *path, struct err *err);

/*
 * A dump: the segments that are kept when something happens, and what follows for a while, in a file of their own. The
 * recording goes on meanwhile: its segments from `first` on stay until they are copied, a part with each flush. The
 * owner of the segments decides which there are. For rotate.c.
 */
enum rotate_dump_state { DUMP_NONE, DUMP_WAITS, DUMP_COPIES };

struct rotate_dump {
	enum rotate_dump_state state;
	uint64_t begin_ns, until_ns; /* of what belongs to it */
	uint64_t first, last;	     /* numbers of segments; last: when it copies */
	uint64_t next, at;	     /* the segment that is copied, and how much of it */
	struct rotate_copy copy;
	uint32_t n;	    /* dumps so far, with this one */
	uint32_t number;    /* in the name of the newest one: those of earlier recordings stay */
	uint32_t n_skipped; /* asked for while another was being made, or beyond the limit */
};

/* The path of the n-th dump of a recording: x.dump-0001.pftrace. "" when it is too long. */
struct rotate_path rotate_dump_path(const char *path, uint32_t n);
/* Takes the next number whose name is free. */
void rotate_dump_number(struct rotate_dump *dump, const char *path);
/*
 * Creates the file that it grows in, dump.part in the folder, unless that was done: others see by it that a dump is
 * made. 0, or -errno and err.
 */
int rotate_dump_reserve(struct rotate_dump *dump, int folder, struct err *err);
/*
 * Copies at most max bytes; segments[0] is number `first_kept`. 1: the file is complete; 0: there is more to do; -errno
 * and err: nothing is left of it.
 */
int rotate_dump_copy(struct rotate_dump *dump, int folder, const struct rotate_segment *segments, uint64_t max,
		     const char *path, struct err *err);

#endif
