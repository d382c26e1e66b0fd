/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which track lies below which, while a recording runs. When a process is over, all its tracks end, innermost first,
 * and their numbers are free for others: a recording of a server that forks for each request needs as many numbers as
 * it has processes at a time. Starts zeroed; one thread.
 */
#ifndef CAPTURE_RECORDER_RECORDER_TRACKS_H
#define CAPTURE_RECORDER_RECORDER_TRACKS_H

#include "base/array.h"
#include "event/sink.h"

struct recorder_track {
	uint64_t serial;	      /* 0: not defined */
	uint32_t parent, child, next; /* child: the newest; next: the one before it, below the same parent */
};

struct recorder_tracks {
	struct array tracks;	  /* struct recorder_track, by number */
	struct array free;	  /* uint32_t */
	uint64_t n_ended, n_late; /* n_late: defined after the first end */
};

/*
 * Takes the definition of a track. Returns its serial; 0: out of memory, and the track never ends. *is_new: it was not
 * defined before.
 */
uint64_t recorder_tracks_define(struct recorder_tracks *tracks, uint32_t track, uint32_t parent, bool *is_new);
/* Puts the end of the track, and before it that of all below it. 0, or the sink's error. */
int recorder_tracks_end(struct recorder_tracks *tracks, uint32_t track, struct sink *to, struct err *err);
void recorder_tracks_done(struct recorder_tracks *tracks);

#endif
