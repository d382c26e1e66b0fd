/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the kernel's log says of processes that it killed because there was no memory. It stays when their cgroup, which
 * counts them as well, is removed. Where the log cannot be read, nothing is found.
 */
#ifndef CAPTURE_SOURCE_KILL_LOG_H
#define CAPTURE_SOURCE_KILL_LOG_H

#include <stdbool.h>

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

#endif
