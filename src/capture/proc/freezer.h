/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the cgroup of a process, or one above it, is frozen. Both versions of cgroups. */
#ifndef CAPTURE_PROC_FREEZER_H
#define CAPTURE_PROC_FREEZER_H

#include "capture/proc/proc.h"

enum { FREEZER_PLACES = 3 };

/* Of one process. Zeroed: nothing is open. */
struct freezer {
	struct proc_file state[FREEZER_PLACES];
	uint64_t looked_ns; /* when its cgroup was looked up; 0: it was not */
};

/*
 * A process may move to another cgroup: which one it is in is looked up every 100 ms, in a captured tree each time.
 * False also where it cannot be read.
 */
bool freezer_is_frozen(struct freezer *freezer, const char *sysroot, pid_t pid, uint64_t now_ns);
void freezer_close(struct freezer *freezer);

#endif
