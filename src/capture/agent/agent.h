/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The floor of the agent: its state, its segment, its threads and their rings. Every other file of the agent stands on
 * it; it calls none of them, but through struct agent_edges. The agent never prints, never calls malloc on a hot path,
 * never changes errno or a result; when in doubt it switches itself off and leaves the reason in the segment.
 *
 * State comes in three kinds. `hot` is a page that the kernel wipes in every child, however it was made:
 * a wiped page is how a child finds out that rings and segment belong to its parent. `struct agent` is
 * changed only under the lock (which lives in the hot page, so a fork can never leave it taken).
 * `struct thread` belongs to its thread alone.
 */
#ifndef CAPTURE_AGENT_AGENT_H
#define CAPTURE_AGENT_AGENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/clock.h"
#include "event/ring.h"

enum level { LEVEL_OFF, LEVEL_INFERENCE, LEVEL_OPERATOR, LEVEL_DETAIL };

struct hot {
	uint32_t generation; /* of this process's segment; 0: none yet, or a child of fork */
	uint32_t lock;
	uint32_t level;	   /* enum level; LEVEL_OFF: record nothing */
	uint32_t last_run; /* numbers of inferences given out in this process */
	uint64_t lanes;	   /* a bit for each lane in use */
	uint32_t last_session;
	uint32_t use_ticks;   /* 1: the time stamp counter, 0: CLOCK_MONOTONIC */
	uint32_t is_plain;    /* operators go the short way: ticks, and no shapes */
	uint32_t adopting;    /* a lock of ort_late.c */
	uint32_t is_changing; /* late: hooks go in or out at this moment, so that runs may be seen in part */
	uint32_t is_child;    /* late: of fork, of the process that the agent was brought into; it has no thread of the
				 agent's */
};

enum { MAX_DEPTH = 32, MAX_RUNS = 8, MAX_LANES = 64, NO_LANE = 255 };

/* An operator that has begun on this thread. */
struct open_operator {
	uint64_t start;
	uintptr_t frame; /* of the hook: one that is deeper than a newer one was left by an exception */
	uint32_t node;
	uint32_t run;
	bool told; /* RECORD_OPERATOR_BEGIN was written */
};

enum { SHAPE_DIMS = 8, SHAPE_INPUTS = 16, LAST_INPUTS = 4 };

struct shape {
	uint32_t type; /* ONNXTensorElementDataType; 0: not a tensor */
	uint32_t n_dims;
	int64_t dim[SHAPE_DIMS];
};

/* An inference that has begun on this thread. */
struct open_run {
	uint64_t start;
	struct session *session; /* NULL: not known yet */
	uint32_t run;
	uint8_t owner; /* enum run_owner: whose end ends it */
	uint8_t lane;
	bool is_executing; /* past OnRunStart */
	bool told;	   /* RECORD_RUN_BEGIN was written */
	bool has_inputs;   /* its shapes were written */
	unsigned depth;	   /* operators that were open when it began */
	bool is_partial;   /* it began before the hooks went in */
	uint32_t message;  /* text of the first failure inside, 0: none */
	uint32_t shapes;   /* text, of inputs that are known when it begins; 0: not known */
	uint64_t batch;	   /* with them; 0: none */
	uint64_t run_options;
	uint64_t cpu_ns, wait_ns, faults, switches; /* at its begin, level detail */
};

/* A session that is being created on this thread. start 0: none is. */
struct creation {
	uint64_t start;
	struct session *session;
	uint8_t owner; /* enum run_owner */
	uint8_t lane;
	bool told;		     /* RECORD_SLICE_BEGIN was written */
	bool has_loaded;	     /* the load slice was written */
	uint32_t n_nested;	     /* creations inside this one, which are not told of */
	uint64_t load_start, loaded; /* 0: not seen */
	uint32_t message;
};

/*
 * Signs that a model is about to be loaded, seen before anything says that a session is being created (in
 * Python the first certain sign comes after the load).
 */
struct model_hint {
	uint64_t time;	  /* 0: none */
	uint64_t n_bytes; /* of a model in memory */
	uint64_t loaded;  /* when the load was over, 0: not seen */
	char asked[200];  /* providers and options that came after it */
	char text[256];	  /* its path, or the name of its graph */
};

struct thread {
	uint32_t generation;
	uint32_t depth;
	uint32_t plain;	      /* the generation if operators may go the short way now, else 0 */
	uint32_t current_run; /* number of the innermost open run, 0: none */
	uint8_t looks;	      /* 0: that run's inputs are known; else 255 */
	bool is_settled;      /* whatever it runs began after the hooks went in */
	int32_t tid;
	struct ring_writer ring;
	uint32_t ring_number;
	uint32_t n_runs;
	uint32_t next_run, numbers_end; /* numbers for runs, a block of them taken at once */
	uint32_t is_inside;		/* the agent itself is calling the runtime */
	struct open_operator open[MAX_DEPTH];
	struct open_run run[MAX_RUNS];
	struct creation creation;
	struct session *last_session; /* of the API's last run here */
	uint32_t last_text, n_last;   /* the last inputs that an API call told here, put into words; 0: none */
	struct shape last[LAST_INPUTS];
	uint32_t last_run;     /* the last one that ended here, for a message that comes late */
	uint32_t last_message; /* text of the last exception thrown here */
	uint64_t last_throw;   /* and when */
	uint32_t inputs_run;   /* the run whose inputs are gathered here */
	uint32_t inputs_seen;  /* a bit for each that was seen */
	struct shape input[SHAPE_INPUTS];
	struct model_hint hint;
	const char *python_bytes; /* the last bytes object that the runtime's module asked for */
	struct thread *next_free;
};

struct agent {
	struct segment *segment;
	char *segment_end;     /* of the mapping */
	struct segment *spare; /* where an earlier segment lies; NULL: there is none */
	uint64_t spare_size;
	uint64_t next_ring;  /* offset at which the next ring will lie */
	uint64_t ring_bytes; /* size of a new ring, and the size it may grow to */
	uint64_t ring_bytes_max;
	uint32_t free_ring[SEGMENT_MAX_RINGS];
	uint32_t n_free_rings;
	struct thread *free_threads;
	struct arena arena;
	uint32_t next_generation;
	uint64_t late_since; /* when the agent was brought into a running program, 0: it was there first */
	int32_t late_pid;    /* the process that it was brought into: a child of fork is another one */
	char dir[200];
	char path[256];
};

extern struct hot *hot; /* never NULL after agent_start */
extern struct agent agent;
extern __thread struct thread *self_thread;

static inline uint64_t agent_now(void)
{
	return __builtin_expect(hot->use_ticks, 1) ? clock_ticks() : clock_ns();
}

void agent_lock(void);
void agent_unlock(void);
/* Makes the segment's pages of [start, start + size) exist, so that stores to them cannot fault. */
bool agent_populate(char *start, uint64_t size);
/* Records no more in this process; the reason goes to the recorder. First one wins. */
void agent_off(const char *reason);

/* This process is a child of fork of the one that the agent was brought into. */
bool agent_is_child(void);
/* Whether this process is to be recorded; true in a child of fork that has no segment yet. */
bool agent_is_wanted(void);
/* Makes sure that this process has a segment; false when nothing is to be recorded. */
bool agent_enter_process(void);
struct agent_settings {
	const char *dir; /* where segments go */
	uint32_t level;
	uint64_t ring_bytes; /* a ring grows up to this */
	bool use_ticks;
};

/* What the files above this one do at an edge of a process's life. Every member is set. */
struct agent_edges {
	/* This process is a child of fork; has_segment: it has a segment of its own now. */
	void (*forked)(bool has_segment);
	/* In a program that was running before the agent came: the recorder takes no more. */
	void (*ended)(void);
	/* In a child of fork of such a program: whether the recorder is gone. Puts the functions back if so. */
	bool (*is_over)(void);
};

/* Before everything else, once in a process. `edges` must stay. */
void agent_at_edges(const struct agent_edges *edges);
/* Then, once in a process: nothing works before. False: it cannot be set up here. */
bool agent_set_up(void);
/* What is to be recorded from now on; LEVEL_OFF: nothing, also in children of fork. */
void agent_set(const struct agent_settings *to);
/* A new segment for a process that was recorded before, with all numbers from 1. False: not to be had; the reason is in
 * the old one. */
bool agent_restart(void);

/* Slow path of agent_thread: makes segment, ring and thread as needed; NULL when nothing can be recorded. */
struct thread *agent_enter(void);

/* This thread, ready to record, or NULL. */
static inline struct thread *agent_thread(void)
{
	struct thread *thread = self_thread;

	if (__builtin_expect(!thread || thread->generation != hot->generation || !hot->generation, 0))
		return agent_enter();
	return thread;
}

/* A record that others depend on; grows the ring when it fills. Filled by the caller, then ring_publish. */
struct record *agent_claim_slow(struct thread *thread);
static inline struct record *agent_claim(struct thread *thread)
{
	struct ring_writer *writer = &thread->ring;

	/* near the limit, or past it, ask: what lies beyond, and what is kept, is not known here */
	if (__builtin_expect(writer->busy | (writer->limit <= writer->head + (writer->mask >> 3) + 1), 0))
		return agent_claim_slow(thread);
	if (__builtin_expect(thread->generation != hot->generation, 0)) /* its ring is of an earlier recording */
		return NULL;
	writer->busy = 1;
	__asm__ volatile("" ::: "memory");
	return &writer->data[writer->head & writer->mask];
}
/* Gives a thread a bigger ring when its own is filling up. */
void agent_grow_ring(struct thread *thread);
static inline void agent_publish(struct thread *thread)
{
	ring_publish(&thread->ring);
}

#endif
