/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a recording says at the moment: its tracks, the slices that are open, and the notes that still hold (the
 * recording, processes, runtimes, sessions). A segment repeats them, so that it is a recording by itself. Bounded: of
 * more than MAX_NOTES notes the oldest are forgotten, of a process that has ended all. One thread.
 */
#ifndef TRACE_ROTATE_ROTATE_LIVE_H
#define TRACE_ROTATE_ROTATE_LIVE_H

#include <stdbool.h>

#include "base/array.h"
#include "event/sink.h"

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

#endif
