/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs that load a runtime while we watch, anywhere on the machine: each is seen when it maps the runtime's file,
 * and the thread that does is held before its first call into it, so that probes can be put in. Not seen by the
 * program's parent, and no program is held for longer than ten seconds.
 *
 * The watching and holding is done by a child process of ours, so that it is prompt whatever we do; when we die it
 * dies, and the kernel lets go what it held. A file that nobody has mapped before since it watches is looked at while
 * its first user is held: some milliseconds, once. Needs CAP_PERFMON and CAP_SYS_PTRACE. One thread.
 */
#ifndef CAPTURE_PROBE_NEXT_H
#define CAPTURE_PROBE_NEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

struct next;

enum { NEXT_LONGEST_HOLD_S = 10 };

struct next_program {
	pid_t pid;
	uint64_t start_ticks;	     /* field 22 of /proc/PID/stat */
	bool is_held;		     /* until next_release; false: it goes on, and what it did first may not be seen */
	bool is_late;		     /* it is held, but when it stood still it may have used the runtime already */
	char why_not[240];	     /* why it could not be held, or how late it was; "" it is in time */
	uint64_t mapped_ns, held_ns; /* CLOCK_MONOTONIC: when it had mapped the file, when it stood still; 0: did not */
	char path[512];		     /* of the file, as the process sees it */
};

enum { NEXT_PAUSE_MS = 4 };

/*
 * Watches from now on. spares: where files are mapped hundreds of times a second it looks at them every NEXT_PAUSE_MS,
 * and a program may be held so much later. NULL and err: not allowed, or this kernel cannot.
 */
struct next *next_open(bool spares, struct err *err);

/* Readable when next_take has something to do. */
int next_fd(const struct next *next);

/*
 * One that has come and is wanted: wants(ctx, pid) is asked while it is held, and one that is not wanted goes on at
 * once; NULL: all are. The same process is told again when it maps another runtime, or becomes another program that
 * does. 1; 0: none now; -errno and err: watching is over.
 */
int next_take(struct next *next, bool (*wants)(void *ctx, pid_t pid), void *ctx, struct next_program *program,
	      struct err *err);

/* Mappings that came faster than they could be looked at: a program may have been missed. Known by next_take. */
uint64_t next_lost(const struct next *next);

/* Lets it go on. One that was not held, or is gone, is fine. */
void next_release(struct next *next, pid_t pid);

/* Lets all go on. NULL is fine. */
void next_close(struct next *next);

#endif
