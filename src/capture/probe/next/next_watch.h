/* SPDX-License-Identifier: Apache-2.0 */
/* The child of next.c: watches, holds, tells. Knows nothing of what is done with those that it holds. */
#ifndef CAPTURE_PROBE_NEXT_WATCH_H
#define CAPTURE_PROBE_NEXT_WATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

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

#endif
