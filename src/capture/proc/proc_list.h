/* SPDX-License-Identifier: Apache-2.0 */
/* Lists processes: the children of one, or all of the machine. Keeps no state. */
#ifndef CAPTURE_PROC_PROC_LIST_H
#define CAPTURE_PROC_PROC_LIST_H

#include <stddef.h>
#include <sys/types.h>

/*
 * Calls found for every child of every thread of pid, from the kernel's own lists. 0, or -errno: -ESRCH: the process is
 * gone; -ENOSYS: this kernel does not list children (CONFIG_PROC_CHILDREN). A list may lack a child for a moment while
 * a sibling ends. A negative result of found ends the walk.
 */
int proc_children(const char *sysroot, pid_t pid, int (*found)(void *ctx, pid_t child), void *ctx);

struct proc_row {
	pid_t pid, parent;
};

/* All visible processes that have not ended. The caller frees the array. 0 or -errno. */
int proc_list(const char *sysroot, struct proc_row **rows, size_t *n_rows);

#endif
