/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The threads of a recorded process, and the lines that show their operators.
 *
 * A thread has a line of its own, until EARLY threads of the process have ended. Threads that start later share lines,
 * one after the other: a server may start a thread for each request, and a line of its own costs memory here, in the
 * file and in every reader of the file. A thread has ended when its ring belongs to another one.
 */
#ifndef CAPTURE_DECODE_WORKERS_H
#define CAPTURE_DECODE_WORKERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slots.h"

enum { WORKERS_EARLY = 64, ANNOTATION_DEPTH = 64 };

/* The line for a thread's annotations. */
struct annotation_lane {
	uint32_t track;	   /* 0: not defined yet */
	uint32_t depth;	   /* slices that are open, on this line or on one of a model */
	uint64_t is_away;  /* by depth: it is on a lane of a model (lanes.h), */
	uint64_t is_whole; /* which it holds: an inference, or the creation of a session */
};

/* A thread of the target, as its ring describes it; or a shared line whose thread has ended. */
struct worker {
	int32_t tid;
	int32_t inner_tid;  /* the agent's thread id: another number in another pid namespace */
	uint32_t track;	    /* 0: nothing to show so far */
	uint32_t role;	    /* name id */
	uint32_t ring;	    /* in which it is: number + 1; 0: it is between two, or has none yet */
	uint32_t left_ring; /* in which it was before it moved, from 1 on: set until it is found in another one */
	uint32_t depth;	    /* operators that have begun and not ended */
	uint64_t cpu_ns;    /* the caller's: CPU time of a pool's thread when it was sampled last */
	uint64_t last_ns;   /* all events on its line lie before, once it has ended */
	bool is_shared, is_free;
	bool runs; /* whole inferences, although it is one of a pool */
	struct annotation_lane annotations, stages, generators;
};

struct workers {
	struct worker *at; /* workers are numbers into this */
	uint32_t n, capacity;
	struct slots living; /* of struct workers_slot, by inner_tid + 1 */
	uint32_t *free;	     /* numbers of those that have ended */
	uint32_t n_free;
	uint64_t n_ended;
	uint32_t group, n_lines; /* of the shared lines */
};

/* NULL: there is none. Pointers are valid until the next workers_add. */
struct worker *workers_find(const struct workers *workers, int32_t inner_tid);
/*
 * A new one, whose first event is at begin_ns or later. It takes over the line of the one that has just ended in the
 * same ring (before: its number + 1, 0: none), or another free line whose last event lies before. NULL: out of memory.
 */
struct worker *workers_add(struct workers *workers, int32_t inner_tid, uint64_t begin_ns, uint32_t before);
/* Its events, in whatever ring, lie before last_ns. */
void workers_end(struct workers *workers, struct worker *worker, uint64_t last_ns);
void workers_done(struct workers *workers);

static inline uint32_t workers_number(const struct workers *workers, const struct worker *worker)
{
	return (uint32_t)(worker - workers->at);
}

#endif
