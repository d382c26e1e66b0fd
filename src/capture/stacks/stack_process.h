/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples the threads of one process from outside: what each did, for how long, and where. Sends no signal, stops
 * nothing, writes nothing into the process; needs the right to read its memory (ptrace), which a recorder has over its
 * children and its user's programs, and root over all.
 *
 * A thread that has not run since it was looked at is where it was: it costs one small read, and one sample for all of
 * the time. Of a process of which no thread has run, only its clock is read. A round ends when its time is up; the
 * threads that are left come first in the next one.
 */
#ifndef CAPTURE_STACKS_STACK_PROCESS_H
#define CAPTURE_STACKS_STACK_PROCESS_H

#include "capture/proc/freezer.h"
#include "capture/stacks/stack_call.h"
#include "capture/stacks/stack_image.h"
#include "capture/stacks/stack_language.h"
#include "event/sample.h"
#include "event/sink.h"

/* What all processes share. Zeroed: empty. */
struct stack_shared {
	struct stack_memory memory;
	struct language_files files;
	struct stack_sockets sockets;
	struct stack_images images;
	int wake_fd;		       /* an epoll: moments of threads that run */
	uint32_t n_counted, n_watched; /* threads with an event, and those of them with moments */
	uint64_t second_ns;	       /* moments that have woken the sampler since then */
	uint32_t n_moments;
	bool are_many, are_few; /* in the second before */
	int8_t counts_turns;	/* whether events count how often a thread gets a CPU: 1, -1: they do not, 0: unknown */
	uint32_t n_kept;	/* files that are kept open */
	uint64_t ran_ns, waited_ns; /* of all threads, on CPUs and for them, since the sampler set its pace */
};

struct stack_round {
	struct stack_shared *shared;
	struct sink *out;
	pid_t pid;
	uint32_t track;	  /* of the process */
	uint32_t program; /* another number: the process runs another program */
	uint64_t now_ns, step_ns;
	uint64_t budget_ns; /* of CPU time, for this process */
	bool is_last;	    /* all that is pending is put */
	struct err *err;
};

/* Threads that ran when they were last seen, that were not seen so far, that waited. */
enum stack_kind { STACK_BUSY, STACK_NEW, STACK_QUIET, N_STACK_KINDS };

/* Zeroed: nothing is known of it. */
struct stack_process {
	struct array thread; /* private */
	struct stack_languages languages;
	struct stack_maps maps;
	int moments_failed;	    /* -errno: why threads that run cannot be looked at */
	uint64_t cpu_ns, ours_ns;   /* of the process, and of the agent's thread in it, when they were looked at */
	uint64_t round_ns;	    /* and when that was */
	uint64_t listed_ns;	    /* its threads, */
	uint64_t good_ns, least_ns; /* and how long the list is good, also of one that has changed */
	uint64_t n_links;	    /* of its folder of threads, then */
	uint64_t find_ns;	    /* when to look for interpreters */
	uint32_t n_finds, program;
	uint32_t n_waits;	    /* for an interpreter that has not begun yet */
	uint32_t n_interpreters;    /* that were mapped when they were looked for */
	uint64_t stack_start;	    /* where its first stack begins, 0: not known; */
	uint64_t looked_ns;	    /* when that was read, */
	bool has_run_since;	    /* and whether it has run since then */
	size_t turn[N_STACK_KINDS]; /* the thread that comes first */
	uint64_t first_ns;	    /* of CPU time, for threads that were new */
	bool was_awake;		    /* a thread ran, or was ready to */
	struct freezer freezer;
	uint64_t frozen_ns; /* when the freezer was looked at, */
	bool is_frozen;	    /* and whether it holds the process */
	bool is_short;	    /* the last round was too short for all threads, */
	int n_short;	    /* as so many more were than not, of a process with many */
	bool is_inside;	    /* it has a pid namespace of its own */
	bool is_traced;
	struct proc_file stat; /* of its first thread; */
	uint64_t moving_ns;    /* the round in which it was read, */
	bool are_moving;       /* and whether that thread is not stopped */
	struct {
		uint64_t at, round_ns;
		uint32_t stack;
	} holder; /* of the GIL, in that round */
	bool has_begun;
};

/* 0, or the sink's error. */
int stack_process_sample(struct stack_process *process, const struct stack_round *round);
/* A thread that runs has reached a moment to look at. */
void stack_process_moment(struct stack_process *process, const struct stack_round *round, int32_t tid, bool has_ended);
/* Whether its threads have used a CPU all the time since they were last looked at. */
bool stack_process_is_busy(const struct stack_process *process, pid_t pid, uint64_t now_ns);
/* Puts what is pending of a process that has ended. */
int stack_process_end(struct stack_process *process, const struct stack_round *round);
void stack_process_done(struct stack_process *process, struct stack_shared *shared);
void stack_shared_done(struct stack_shared *shared);

#endif
