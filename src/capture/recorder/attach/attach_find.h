/* SPDX-License-Identifier: Apache-2.0 */
/* Which running programs are meant: by pid, by name, by path. Looks at /proc only, and changes nothing. */
#ifndef CAPTURE_RECORDER_ATTACH_FIND_H
#define CAPTURE_RECORDER_ATTACH_FIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "capture/recorder/attach/attach_fit.h"

struct attach_match {
	pid_t pid;
	uint64_t start_ticks; /* field 22 of /proc/PID/stat: with the pid, the identity */
	uint64_t age_s;
	char name[64], command[160];
	bool has_runtime; /* a runtime is mapped in it, or in a process below it */
	bool is_readable; /* false: which files it has mapped could not be read, has_runtime is not known */
};

struct attach_matches {
	struct attach_match *match;
	size_t n;
};

/* A process that exists, but not in /proc: it is mounted with hidepid, and this one is of somebody else. */
bool attach_find_is_hidden(pid_t pid);

/* It stands still: SIGSTOP, Ctrl-Z, a debugger. */
bool attach_find_is_stopped(pid_t pid);

/* 0, or -errno and err: there is no such process, it has ended, it is a thread, the kernel's, or this one. */
int attach_find_pid(pid_t pid, struct attach_match *match, struct err *err);

/*
 * All that fit; those that descend from another one that fits are left to that one, and we and our own ancestors are
 * none. Those with a runtime come first, then the older ones. n may be 0. 0, or -errno and err; attach_matches_done
 * also then.
 */
int attach_find(const struct attach_wish *wish, struct attach_matches *matches, struct err *err);
void attach_matches_done(struct attach_matches *matches);

/* The process and all below it, as they are now; the caller frees the array. Their number, or -errno. */
ssize_t attach_find_family(pid_t pid, pid_t **pids);

#endif
