/* SPDX-License-Identifier: Apache-2.0 */
/* What hooks have begun on a thread and an exception would end: bracket.c. */
#ifndef CAPTURE_AGENT_BRACKETS_H
#define CAPTURE_AGENT_BRACKETS_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/agent/usage.h"

enum { MAX_BRACKETS = 64 };

struct thread;
struct bracket;
/* An exception leaves the frame; message: text id, 0: not known. */
typedef void bracket_left(struct thread *thread, const struct bracket *bracket, uint32_t message);

struct bracket {
	uintptr_t frame; /* of the hook */
	bracket_left *left;
	uint32_t level; /* by event: how many were open before */
	uint8_t event;	/* enum runtime_event */
};

struct brackets {
	uint32_t n;
	struct bracket at[MAX_BRACKETS];
};

/* The slices that a program has begun on a thread by libinftrace, as the agent remembers them: annotate.c. */
enum { MAX_SLICES = 64 };

struct open_slice {
	uint32_t run; /* of the slice around it */
	uint8_t kind; /* enum event_kind */
	bool is_told; /* RECORD_USER_BEGIN was written */
};

struct open_slices {
	uint32_t depth;	 /* may exceed MAX_SLICES: deeper ones are counted as lost */
	uint32_t n_owed; /* ends that found no room */
	uint32_t run;	 /* of the innermost open inference; 0: none */
	struct open_slice at[MAX_SLICES];
};

/* Threads of the runtime's pools that a thread starts while it creates a session, and the CPU that they use meanwhile.
 */
struct thread;

enum { POOL_THREADS = 64 };

/* Those started since the last creation on a thread ended; the started threads write, too. */
struct pool {
	uint32_t round;
	uint32_t n_started;	   /* counted by the thread that starts them, */
	uint32_t n;		   /* and by those of them that run already */
	int32_t tid[POOL_THREADS]; /* 0: not there yet */
};

/* On a started thread: it is one of the pool, if that is still the round in which it was started. */
void pool_join(struct pool *pool, uint32_t round);
/* At the end of the thread's creation: writes what they used since they began, and forgets them. */
void pool_tell(struct thread *thread, uint32_t session);

/* What a thread keeps of the session that it is creating, or is about to create (creation.c, phase.c). */
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

/* A call of a generator (event/generator_call.h) that is open on a thread; inferences below its frame belong to it. */
struct generator_scope {
	uintptr_t frame;
	uint32_t number, n_runs; /* number 0: none is open; n_runs: inferences that it contains so far */
};

#endif
