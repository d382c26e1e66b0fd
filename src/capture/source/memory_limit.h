/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes of the recorded cgroups that the kernel killed because there was no memory, and why there was none: the
 * limit of a cgroup, of theirs or one above it, or the machine's. Both versions of cgroups. Notes each time.
 */
#ifndef CAPTURE_SOURCE_MEMORY_LIMIT_H
#define CAPTURE_SOURCE_MEMORY_LIMIT_H

#include <stdbool.h>

#include "base/array.h"
#include "capture/source/source.h"

/*
 * What the kernel's log says of processes that it killed because there was no memory. It stays when their cgroup, which
 * counts them as well, is removed. Where the log cannot be read, nothing is found.
 */
struct kill_log {
	int fd; /* + 1; 0: not open */
};

enum { KILL_PATH = 512 };

struct kill_logged {
	char path[KILL_PATH];	 /* the process's cgroup, in its hierarchy: "/pod/app" */
	char limited[KILL_PATH]; /* the one whose limit was reached; "": the machine had no memory */
};

/* From now on. sysroot: before /dev/kmsg. */
void kill_log_open(struct kill_log *log, const char *sysroot);
/* The next one that was killed since. False: there is none. */
bool kill_log_next(struct kill_log *log, struct kill_logged *to);
void kill_log_close(struct kill_log *log);

/* Starts zeroed. */
struct memory_limit {
	struct array groups; /* struct limited */
	struct kill_log log;
	uint64_t due_ns, began_ns, n_news, n_ended; /* the last two: of the tree, when it was last looked at */
};

/* Once per interval, and when a process or the target ends: its cgroup may be removed soon. 0, -ENOMEM, or the sink's
 * error. */
int memory_limit_drain(struct memory_limit *limit, const struct target *target, struct sink *out, uint64_t now_ns,
		       struct err *err);
void memory_limit_done(struct memory_limit *limit);

#endif
