/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the cgroup of a process, or one above it, is frozen. Both versions of cgroups. */
#ifndef CAPTURE_PROC_FREEZER_H
#define CAPTURE_PROC_FREEZER_H

#include <stdbool.h>
#include <sys/types.h>

/* Looks the cgroup up each time: a process may move to another. False also where it cannot be read. */
bool freezer_is_frozen(const char *sysroot, pid_t pid);

#endif
