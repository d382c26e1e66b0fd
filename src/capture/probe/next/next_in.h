/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this room share. Private to it. */
#ifndef CAPTURE_PROBE_NEXT_NEXT_IN_H
#define CAPTURE_PROBE_NEXT_NEXT_IN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

/*
 * Calls that may never return, because they touch a file that somebody else serves (FUSE, NFS): on a thread of their
 * own, so that whoever waits for them can do what is due. A thread that does not come back is left behind, and the next
 * call gets another one; there are at most NEXT_READER_STUCK of them. One caller.
 */
enum { NEXT_READER_STUCK = 8, NEXT_READER_PATIENCE_MS = 1000, NEXT_READER_DUE_MS = 50 };

/*
 * Calls work(job) and waits until it has returned, with due(ctx) each 50 ms meanwhile. False: it takes too long, or all
 * threads are stuck. After false job and all that it leads to may be in use for ever: do not touch or free it.
 */
bool next_reader_do(void (*work)(void *job), void *job, void (*due)(void *ctx), void *ctx);

/* The child of next.c: watches, holds, tells. Knows nothing of what is done with those that it holds. */
enum next_hold {
	NEXT_EARLY, /* held before it could use the runtime */
	NEXT_LATE,  /* held, but what it did before is not known */
	NEXT_NOT,   /* could not be held: why */
};

struct next_found {
	pid_t pid, tid;		     /* pid 0: none, but mapped_ns mappings were not seen so far */
	uint32_t hold;		     /* enum next_hold */
	uint64_t mapped_ns, held_ns; /* CLOCK_MONOTONIC */
	char why[240];
	char path[512];
};

/*
 * Runs until the other end of `socket` is closed. First a struct err goes through it: whether watching has begun (code
 * 0). Then what was found as struct next_found, one per packet; back comes the pid_t of a process to be let go. parent:
 * not to be held.
 */
__attribute__((noreturn)) void next_watch(int socket, pid_t parent, bool spares);

/*
 * Holds one thread of somebody's process for a moment, by ptrace in the way that nobody notices: its parent is told
 * nothing, its signals and job control stay as they are, and when we die the kernel lets it go. Calls from one thread,
 * which waits for the threads that it holds (waitpid with __WALL).
 */

/* The name of the thread that holds others, by which another inftrace knows that they will be let go. */
#define NEXT_HOLD_NAME "inftrace-next"

/*
 * Asks it to stop; waitpid tells when it has. 0, or -errno and err: EBUSY another inftrace holds it for a moment; EPERM
 * a debugger has it; ESRCH it is gone.
 */
int next_hold_begin(pid_t tid, struct err *err);
/*
 * It has stopped: was that before it could come to anything that it has just mapped? True inside the call that maps.
 * False: it is, if it has stopped in the loader: *address is where (0: not known).
 */
bool next_hold_is_early(pid_t tid, uint64_t *address);
/* Whether the address lies in the code of a dynamic loader. May wait for the process's memory: next_reader_do. */
bool next_hold_is_in_loader(pid_t pid, uint64_t address);
/* It goes on. status: what waitpid told when it stopped. */
void next_hold_end(pid_t tid, int status);

/*
 * Files that any process of the machine maps as code, as it happens: side-band records of a perf event that counts
 * nothing, one per processor. Needs CAP_PERFMON (or root). One thread.
 */
struct next_mapping {
	pid_t pid, tid;
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	uint64_t start, size, offset;
	uint32_t major, minor;
	uint64_t inode, generation; /* generation: tells files apart that had the same inode; 0: not known */
	char path[4096];
};

struct next_events {
	int fd; /* readable when something was mapped */
	struct next_cpu *cpu;
	unsigned n_cpus;
	unsigned turn;	 /* whose ring is read next */
	uint64_t n_lost; /* records that found no room */
};

/* 0, or -errno and err: EACCES without the right. What is open ends with the process. */
int next_events_open(struct next_events *events, struct err *err);
/* The next mapping of a file as code; false: there is none now. */
bool next_events_take(struct next_events *events, struct next_mapping *mapping);
/*
 * Whether the dynamic loader of a process that stands still is not done yet with a library that it has mapped: nothing
 * of it was called. False also where that is not known. May wait for files: next_reader_do.
 */
bool next_is_loading(const struct next_mapping *mapping);

/*
 * The threads that a watching process (next_watch.c) holds, or waits to hold because another inftrace holds them at the
 * moment. Bounded in number and in time. Calls from the one thread that traces.
 */
enum { NEXT_MAX_HELD = 1024 };

struct next_held {
	struct next_found found;
	struct next_mapping mapping; /* because of which it is held: that of the runtime, if it is wanted */
	int status;		     /* of waitpid */
	unsigned n_pending;	     /* files of it that are to be looked at */
	bool is_stopped;	     /* it stands still by our doing */
	bool is_awaited;	     /* another inftrace holds it: it is asked for again and again */
	bool is_wanted, is_told;     /* wanted: it has a runtime */
	bool is_released;
};

struct next_helds {
	struct next_held *held[NEXT_MAX_HELD];
	size_t n, n_awaited;
};

/* NULL: this thread is not held. */
struct next_held *next_held_find(const struct next_helds *all, pid_t tid);
/*
 * Asks the thread of a mapping to stop, if it was not asked before; found.hold says whether that can be. NULL: there is
 * no room, and it goes on.
 */
struct next_held *next_held_begin(struct next_helds *all, const struct next_mapping *mapping);
/* Asks those again that another inftrace held a moment ago. To be called every 100 us while n_awaited is not 0. */
void next_held_retry(struct next_helds *all);
/* It goes on, now or as soon as it has stopped; `held` may be gone then. */
void next_held_release(struct next_helds *all, struct next_held *held);
/* Lets those go on that are held for NEXT_LONGEST_HOLD_S. */
void next_held_expire(struct next_helds *all);
/* It has ended, or goes on already. */
void next_held_drop(struct next_helds *all, struct next_held *held);
/* Tells of those that stand still, or cannot be held. Those for which there is no room now are told the next time. */
void next_held_tell(struct next_helds *all, int socket);

#endif
