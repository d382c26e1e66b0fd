/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bringing the agent into a process that runs, and out again. No breakpoint, no stop, no borrowed thread: a few hundred
 * bytes are written into unused ones, last of all one word of a table of virtual functions; the next inference calls
 * what it leads to, which starts an ordinary thread in the process, which loads the agent (event/ferry.h). Whoever dies
 * at whatever moment, the process goes on: until that word is written nobody runs anything of ours, and from then on
 * the process needs nobody.
 *
 * Needs the right to write to /proc/PID/mem: the same user. A process in which it is not certain that this works is
 * left alone.
 */
#ifndef CAPTURE_INJECT_INJECT_H
#define CAPTURE_INJECT_INJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"
#include "event/ferry.h"

struct inject_opts {
	const char *agent; /* path of the library, as we see it */
	uint32_t level;	   /* as event/ferry.h numbers them */
	uint64_t ring_bytes;
	bool use_ticks;
	bool allows_seccomp; /* also into a process with a system call filter, which may kill it */
	uint64_t until_ns;   /* an agent of an earlier time gets until then to leave; CLOCK_MONOTONIC */
};

struct inject {
	pid_t pid;
	uint64_t start_ticks;	     /* with the pid, the identity */
	int memory;		     /* /proc/PID/mem; -1: none */
	int dir, lifeline;	     /* descriptors: the folder of segments, its lifeline; -1: none */
	int parent;		     /* of the folder */
	char ring_dir[64];	     /* the folder, as we see it */
	char name[40];		     /* of the folder, in its parent */
	char version[32], path[256]; /* of the first runtime */
	struct ferry_head head;
	uint64_t at;		       /* of the head, in the process */
	uint64_t unbound[FERRY_SLOTS]; /* what a slot may hold beside its original; 0: nothing */
	bool is_new;		       /* there is no code yet */
	bool was_written;	       /* and not taken back */
};

enum inject_where {
	INJECT_PENDING, /* waits for the next inference */
	INJECT_COMING,	/* an inference has taken it */
	INJECT_THERE,	/* the agent records */
	INJECT_FAILED,	/* it could not be brought in, or refused: err */
	INJECT_LEFT,	/* it has taken its hooks out again */
	INJECT_GONE,	/* the process has ended */
};

/*
 * Looks at the process and makes the folder. Nothing is written into the process. start_ticks: what it must have
 * started at (field 22 of /proc/PID/stat); 0: whoever bears this pid now. 0, or -errno and err: what to do instead.
 */
int inject_prepare(struct inject *inject, pid_t pid, uint64_t start_ticks, const struct inject_opts *opts,
		   struct err *err);
/* Writes. 0, or -errno and err: nothing was changed that matters. */
int inject_write(struct inject *inject, struct err *err);
/* After inject_write. */
enum inject_where inject_look(const struct inject *inject, struct err *err);
/* Lets the agent go. What was not reached so far is taken back. */
void inject_leave(struct inject *inject);
/*
 * Waits until its hooks are out, at most until then. 0, or -ETIMEDOUT and err: the process has not come to it, for
 * example because it is stopped; it will when it runs.
 */
int inject_wait(struct inject *inject, uint64_t until_ns, struct err *err);
/* Removes the folder. Also after a failure. */
void inject_done(struct inject *inject);

#endif
