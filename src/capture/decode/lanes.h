/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lines that show a process's sessions and inferences: below the process one group per model, in it one for each of
 * its functions, if it has such, and in that one lane per concurrent inference. Lanes are numbered in their group.
 *
 * Records of different threads may belong to one lane in sequence, but rings are read one after the other. So events of
 * lanes are gathered first and sorted by time. Events newer than the start of the reading wait for the next round: an
 * older record of another thread may not have been read yet.
 */
#ifndef CAPTURE_DECODE_LANES_H
#define CAPTURE_DECODE_LANES_H

#include <stdbool.h>

#include "capture/decode/generator_calls.h"
#include "capture/decode/sessions.h"
#include "event/sink.h"

enum { LANE_ARGS = 15 };

/* An event to be put. */
struct lane_event {
	uint64_t time_ns, order;
	enum event_type type; /* EVENT_BEGIN, EVENT_END, EVENT_INSTANT */
	enum event_kind kind;
	uint32_t name;
	uint32_t model;	   /* name of the group */
	uint32_t function; /* name of a group in the model's, where the model has functions; 0: none */
	uint32_t holder; /* number of who has the lane: as long as the slice is open no other one of the line has it */
	uint32_t above;	 /* name of the group that the model's lies in, always the same; 0: none */
	uint32_t line;	 /* name of the lane; 0: "inferences" */
	uint32_t session, run;
	bool is_inside; /* it is on the lane of its holder, of whatever model and line, and as an END ends what is
			 * open innermost */
	uint32_t n_args;
	struct arg arg[LANE_ARGS];
};

/* Those that hold a lane; what else lies on it is inside one. */
static inline bool lanes_is_whole(enum event_kind kind)
{
	return kind == KIND_INFERENCE || kind == KIND_SESSION;
}

struct lane;

struct lanes {
	uint32_t process_track;
	struct lane_event *event; /* gathered, not yet put */
	size_t n, capacity;
	uint64_t order;
	uint32_t above_track; /* 0: not defined yet */
	struct lane *lane;
	size_t n_lanes, lane_capacity;
	uint32_t *of_model, *of_holder; /* heads of chains, lane_capacity each, in one piece of memory */
	struct generator_calls calls;	/* go on between these events, by their ends */
	uint64_t n_orphans;		/* ends without a begin since the owner last read this */
};

/* A zeroed event to fill; NULL: out of memory. Valid until the next call. */
struct lane_event *lanes_add(struct lanes *lanes);
/* The gathered BEGIN of this run, or NULL: to add facts that arrive later. Valid until lanes_add. */
struct lane_event *lanes_begin_of(struct lanes *lanes, uint32_t run);
/* Puts all events up to until_ns, in order. Inferences are numbered in their sessions. */
int lanes_put(struct lanes *lanes, struct sessions *sessions, struct sink *out, uint64_t until_ns, struct err *err);
void lanes_done(struct lanes *lanes);

#endif
