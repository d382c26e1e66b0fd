/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts numbers of processes and threads from inside another pid namespace (a container, unshare) to ours. Keeps no
 * state; any thread.
 */
#ifndef CAPTURE_PROC_NAMESPACE_H
#define CAPTURE_PROC_NAMESPACE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

/* First number for processes whose pid here is unknown; Linux gives out none as large (pid_max: 1 << 22). */
enum { NAMESPACE_UNKNOWN = 1 << 30 };

/* The inode of our own pid namespace; 0: unknown. */
uint64_t namespace_own(void);
/* Whether /proc below the sysroot belongs to the kernel's first pid namespace, so that its pids are the host's. */
bool namespace_is_first(const char *sysroot);
/* Whether /proc exists and belongs to our pid namespace. 0, or -errno and err. */
int namespace_check_proc(struct err *err);
/* The process with number pid in the pid namespace with this inode; 0: none visible. */
pid_t namespace_pid(uint64_t namespace, pid_t pid);
/* The thread of process `outer` with number tid in the process's own namespace; 0: none. */
pid_t namespace_tid(pid_t outer, pid_t tid);

#endif
