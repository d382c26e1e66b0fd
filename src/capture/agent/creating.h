/* SPDX-License-Identifier: Apache-2.0 */
/* What a thread keeps of the session that it is creating, or is about to create (creation.c, phase.c). */
#ifndef CAPTURE_AGENT_CREATING_H
#define CAPTURE_AGENT_CREATING_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/agent/usage.h"

/* The session that this thread is creating. start 0: none. */
struct creation {
	uint64_t start;
	struct session *session;
	uint8_t owner; /* enum run_owner */
	uint8_t lane;
	bool told;		     /* RECORD_SLICE_BEGIN was written */
	uint32_t caller;	     /* text of the line that asked for it (caller.h); 0: not known */
	bool has_loaded;	     /* the load slice was written */
	uint32_t n_nested;	     /* creations inside this one, which are not recorded */
	uint64_t load_start, loaded; /* 0: not seen */
	uint32_t message, refusal;   /* refusal: of an error that may be that of another session, 0: none */
	bool is_end_unseen;	     /* no hook sees its end: it may be over */
	/* phase.c */
	uint8_t phase;		      /* enum event_phase: the open one */
	bool is_in_weights;	      /* it is that of the weights */
	bool is_behind_last;	      /* it is the one behind the last transformer */
	uint32_t n_parts;	      /* open parts, which nest */
	uint32_t n_values, n_weights; /* compared by the planner; initialised */
	uint64_t last;		      /* begin of the last weight, or end of the last packing */
	uint64_t part_end;	      /* of the last part, 0: none */
	bool is_in_turn;	      /* it was a transformer that changed nothing: the next one comes */
};

enum { CREATION_DEPTH = 8 };

/* Waits for a CPU in the open slices of a creation, each without those inside (waits.c). [0]: in none of its parts. */
struct creation_waits {
	struct usage_clock clock;
	uint32_t depth;
	uint64_t own_ns[CREATION_DEPTH];
};

/* Calls that read a model's file on this thread (phase.c). */
struct file_reads {
	struct reads *first, *last;
	uint64_t n_bytes, end; /* end: of the last call, 0: none */
};

/* Signs of a model about to be loaded. In Python the first certain one comes after the load. */
struct model_hint {
	uint64_t time;		   /* 0: none */
	uint64_t n_bytes;	   /* of a model in memory */
	uint64_t loaded;	   /* end of the load, 0: not seen */
	uint64_t prepared;	   /* end of what comes before the load, 0: not seen */
	char asked[200];	   /* providers and options given after the load */
	char text[1024];	   /* its path, or the name of its graph */
	uint64_t unsure, n_unsure; /* time and size of bytes that do not look like a model, 0: none; */
	uint32_t unsure_run;	   /* no run has begun since */
};

#endif
