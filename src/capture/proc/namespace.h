/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers of processes and threads that were told from inside another pid namespace (a container, unshare),
 * as they are seen from here. Keeps nothing; any thread.
 */
#ifndef CAPTURE_PROC_NAMESPACE_H
#define CAPTURE_PROC_NAMESPACE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

/* What stands for a number that is not known here: above all that Linux gives out (pid_max: 1 << 22). */
enum { NAMESPACE_UNKNOWN = 1 << 30 };

/* The inode of our own pid namespace; 0: not known. */
uint64_t namespace_own(void);
/* Whether the pid namespace that /proc below the sysroot is of is the kernel's first one, so that its pids are the
 * host's. */
bool namespace_is_first(const char *sysroot);
/* Whether /proc is there, and tells of the pid namespace that we run in. 0, or -errno and err. */
int namespace_check_proc(struct err *err);
/* The process that bears the number pid in the pid namespace with this inode; 0: none that can be seen. */
pid_t namespace_pid(uint64_t namespace, pid_t pid);
/* The thread of process `outer` that bears the number tid in the process's own namespace; 0: none. */
pid_t namespace_tid(pid_t outer, pid_t tid);

#endif
