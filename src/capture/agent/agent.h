/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The base of the agent: its state, its segment, its threads and their rings. Every other file of the agent builds on
 * it; it calls none of them, except through struct agent_edges. The agent never prints, never calls malloc on a hot
 * path, never changes errno or a result. When in doubt it leaves a part of the runtime alone and records why.
 *
 * State comes in three kinds. `hot` is a page that the kernel wipes in every child, however it was created: a wiped
 * page tells a child that rings and segment belong to its parent. `struct agent` is changed only under the lock (which
 * lives in the hot page, so that a fork can never leave it taken). `struct thread` belongs to its thread alone.
 */
#ifndef CAPTURE_AGENT_AGENT_H
#define CAPTURE_AGENT_AGENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/clock.h"
#include "capture/agent/brackets.h"
#include "capture/agent/lock.h"
#include "capture/agent/shape.h"
#include "capture/agent/usage.h"
#include "event/ring.h"

enum level { LEVEL_OFF, LEVEL_INFERENCE, LEVEL_OPERATOR, LEVEL_DETAIL };
enum change { CHANGE_NONE, CHANGE_IN, CHANGE_OUT };

struct hot {
	uint32_t generation; /* of this process's segment; 0: none yet, or a child of fork */
	struct lock lock;
	uint32_t level;		       /* enum level; LEVEL_OFF: record nothing */
	uint32_t next_run;	       /* the first number of an inference that no thread has taken */
	uint64_t lanes;		       /* a bit for each lane in use */
	uint32_t use_ticks;	       /* 1: the time stamp counter, 0: CLOCK_MONOTONIC */
	uint32_t is_plain;	       /* operators take the short path: ticks, and no shapes */
	struct lock adopting;	       /* lock of ort_late.c */
	uint32_t is_changing;	       /* after injection: hooks are put in or out, so runs may be seen in part */
	uint32_t is_child;	       /* a child of fork of the injected process, in which the agent has no thread */
	uint32_t is_inside;	       /* the agent has a thread in this process */
	uint32_t is_injected, departs; /* this process itself was injected; the agent's thread has to end now */
	struct lock leaving;	       /* one thread at a time takes the hooks of the parent out */
	int32_t n_calls;	       /* system calls of the agent under way (guard.c) */
};

enum { MAX_DEPTH = 32, MAX_RUNS = 8, MAX_LANES = 64, NO_LANE = 255, AGENT_KEPT = 16 };

/* An operator that has begun on this thread. */
struct open_operator {
	uint64_t start;
	uintptr_t frame; /* of the hook: an entry deeper than a newer one was left by an exception */
	uint32_t node;
	uint32_t run;
	uint32_t shapes; /* text of its inputs, 0: unknown */
	const void *of;	 /* what began it, by which its end finds it; not of all runtimes */
	bool told;	 /* RECORD_OPERATOR_BEGIN was written */
};

enum { LAST_INPUTS = 4 };

/* An inference that has begun on this thread. */
struct open_run {
	uint64_t start;
	struct session *session; /* NULL: unknown so far */
	uint32_t run;
	uint8_t owner; /* enum run_owner: the bracket whose end ends it */
	uint8_t lane;
	bool is_executing;  /* past OnRunStart, or of a runtime that has no such moment: what begins now is inside */
	bool told;	    /* RECORD_RUN_BEGIN was written */
	bool has_inputs;    /* its shapes were written */
	unsigned depth;	    /* operators that were open when it began */
	bool is_partial;    /* it began before the hooks went in */
	bool was_asked;	    /* whether its usage is recorded was decided */
	bool was_subnormal; /* as subnormal_begin returned */
	uint8_t traits;	    /* enum run_trait */
	uint32_t message;   /* text of the first failure inside, 0: none */
	uint32_t shapes;    /* text of the inputs known at its begin; 0: unknown */
	uint32_t follows;   /* the inference whose results went into it; 0: none, or not known */
	uint64_t batch;	    /* with them; 0: none */
	uint64_t run_options;
	uint64_t queued_since; /* when it came into the queue of a pool; 0: it did not, or not known */
	const void *awaited;   /* what must run on this thread for it to be one; NULL: it is */
	uint32_t caller;       /* text of the line that asked for it (caller.h); 0: not known */
	struct usage usage;    /* at its begin */
	bool is_evaluated, is_over, is_in_python; /* the runtime has begun to evaluate; has done so; a call of Python */
	uint64_t left; /* when it had done its work, and waited for the lock of an interpreter; 0: it did not */
};

/* The innermost call to an allocator that is under way on this thread. */
struct allocating {
	uintptr_t frame; /* of its hook, 0: none. A call inside it has a lower one; an exception may have left it */
	struct allocator *in;
	bool is_reserve; /* memory for as long as the session lives */
};

struct thread {
	uint32_t generation, depth;
	uint32_t plain;	      /* the generation if operators may take the short path now, else 0 */
	uint32_t current_run; /* number of the innermost open run, 0: none */
	uint8_t looks;	      /* 0: that run's inputs are known; else 255 */
	bool is_subnormal;    /* an inference ended with the flag of subnormal.h: from then on its begin looks, too */
	bool is_settled;      /* all runs on it began after the hooks went in */
	int32_t tid;
	struct ring_writer ring;
	uint32_t ring_number, n_runs, n_creations; /* creations that have begun */
	uint32_t next_run,
	    numbers_end;    /* numbers for runs, a block of them taken at once; the rest is the next thread's */
	uint32_t is_inside; /* the agent itself is calling the runtime */
	bool is_packing;    /* a kernel packs a weight */
	struct allocating allocating;
	struct open_operator open[MAX_DEPTH];
	struct open_run run[MAX_RUNS];
	struct creation creation;
	struct creation_waits waits;
	struct session *last_session; /* of the API's last run here */
	uint32_t last_text, n_last;   /* text of the last inputs passed to an API call here; 0: none */
	struct shape last[LAST_INPUTS];
	uint32_t last_run;	      /* the last run that ended here, for a message that comes afterwards */
	uint32_t last_message;	      /* text of the last exception thrown here */
	uint64_t last_throw;	      /* and its time */
	uint32_t inputs_run;	      /* the run whose inputs are being gathered here */
	uint32_t inputs_seen;	      /* a bit for each of the first that was seen */
	uint32_t rest_seen, rest_end; /* how many of the others were seen, and how many there are at least */
	struct shapes inputs;
	struct model_hint hint;
	struct file_reads reads;
	void *kept[AGENT_KEPT]; /* by agent_keep */
	struct pool pool;
	const char *python_bytes;		 /* the last bytes object that the runtime's module read */
	uint64_t asked_by, called_from, unbegun, /* of the next inference or session: caller.h */
	    opening_since;     /* ticks: first operator of a run without a begin; since when a library opens */
	uint64_t queued_since; /* when the program asked for the inference that begins here next; 0: it did not */
	uint32_t unbegun_copy, opening; /* in copies[]; hash of the name, 0: none */
	struct generator_scope generator;
	struct usage_wait wait;
	struct usage_mark mark;
	struct open_slices slices;
	struct brackets brackets;
	struct thread *next_free;
};

struct agent {
	struct segment *segment;
	uint64_t ring_bytes; /* size of a new ring, and its largest size */
	uint64_t ring_bytes_max;
	struct ring *ring[SEGMENT_MAX_RINGS]; /* those of the segment, by number */
	uint32_t free_ring[SEGMENT_MAX_RINGS];
	uint32_t n_free_rings;
	struct thread *free_threads;
	struct arena arena;
	uint32_t last_session; /* the last number given; a child of fork counts on, for it has its parent's sessions */
	uint32_t next_generation, n_filters; /* n_filters: seccomp filters of this process, as far as they were seen */
	uint64_t late_since; /* time of the injection into a running program; 0: the agent was loaded at its start */
	char dir[200], path[256];
};

extern struct hot *hot; /* never NULL after agent_start */
extern struct agent agent;
extern __thread struct thread *self_thread __attribute__((tls_model("initial-exec")));

static inline uint64_t agent_now(void)
{
	return __builtin_expect(hot->use_ticks, 1) ? clock_ticks() : clock_ns();
}

static inline void agent_lock(void)
{
	lock_take(&hot->lock);
}
static inline bool agent_try_lock(void)
{
	return lock_try(&hot->lock);
}
static inline void agent_unlock(void)
{
	lock_give(&hot->lock);
}
/* Stops recording in this process; the recorder reads the reason. The first reason counts. */
void agent_off(const char *reason);
void agent_halt(const char *reason); /* the same, and from now on no hook of this process reads a clock */
void agent_lay_in(void);	     /* takes rings and memory for what is to come, while it may. Call under the lock */

bool agent_is_child(void);	/* whether this process is a child of fork of the injected process */
bool agent_is_wanted(void);	/* whether this process is to be recorded; true in a child of fork without a segment */
bool agent_enter_process(void); /* makes sure that this process has a segment; false when recording is off */
struct agent_settings {
	const char *dir; /* where segments go */
	uint32_t level;
	uint64_t ring_bytes; /* the largest size of a ring */
	bool use_ticks;
};

/* What other files of the agent do at the edges of a process's life. Every member is set. */
struct agent_edges {
	/* This process is a child of fork; has_segment: it has a segment of its own now. */
	void (*forked)(bool has_segment);
	/* In an injected program: the recorder has ended the recording. */
	void (*ended)(void);
	/* In a child of fork of an injected program: whether the recorder is gone. Restores the functions if so. */
	bool (*is_over)(void);
};

/* Call first, once in a process. `edges` must stay. */
void agent_at_edges(const struct agent_edges *edges);
/* Call second, once in a process: nothing works before. False: setup is impossible here. */
bool agent_set_up(void);
void agent_learn(void *handle); /* like glibc_learn (glibc.h) */
/* Sets what is recorded from now on; LEVEL_OFF: nothing, also in children of fork. */
void agent_set(const struct agent_settings *to);
void agent_leave_parent(void); /* in a child of fork: ends its part in the recording of its parent */
/* Makes a new segment for a process that was recorded before; all numbers start from 1. False: no segment. */
bool agent_restart(void);

/* Slow path of agent_thread: makes segment, ring and thread as needed; NULL when recording is impossible. */
struct thread *agent_enter(void);

int32_t agent_tid(void); /* the kernel's number of this thread */
/* What code keeps of a thread for good, zeroes at first: in thread->kept[*place]. *place: 0 at first. NULL: no room */
void *agent_keep(struct thread *thread, uint32_t *place, size_t size);
/* This thread's state, ready to record, or NULL. */
static inline struct thread *agent_thread(void)
{
	struct thread *thread = self_thread;

	if (__builtin_expect(!thread || thread->generation != hot->generation || !hot->generation, 0))
		return agent_enter();
	return thread;
}

/* A record that others depend on; grows the ring when it fills up. The caller fills it, then calls ring_publish. */
struct record *agent_claim_slow(struct thread *thread);
static inline struct record *agent_claim(struct thread *thread)
{
	struct ring_writer *writer = &thread->ring;

	/* beyond the limit there is room for what a signal handler records before `busy` is set */
	if (__builtin_expect(writer->busy | (writer->head >= writer->limit), 0))
		return agent_claim_slow(thread);
	if (__builtin_expect(thread->generation != hot->generation, 0)) /* its ring belongs to an earlier recording */
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
