/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the kernel and the rights of this process allow of probes from outside, in words for people: what is missing,
 * why, and what would grant it.
 */
#ifndef CAPTURE_PROC_RIGHTS_H
#define CAPTURE_PROC_RIGHTS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"

enum { RIGHTS_ADVICE = 220 };

/* The one command that grants what is missing; may_be_root: or root. */
void rights_advise(const char *sysroot, bool may_be_root, char *to, size_t size);

/*
 * Could uprobes_open work here? 0, or -errno and the first thing that is missing. Tries nothing that stays.
 * sysroot: "" in life.
 */
int rights_check(const char *sysroot, struct err *err);

/*
 * May this process have perf events, as `next` needs them, or such that are probes, as kernels before 6.6 need them? 0,
 * or -errno and why not: "kernel.perf_event_paranoid is 3 ...; run it ...".
 */
int rights_check_perf(bool are_probes, struct err *err);

/*
 * Could the memory map and the memory of this process be read? 0, or -errno and why not: EPERM when it is the memory
 * alone, without which the models of sessions that are there already have no name; ESRCH when it has ended.
 */
int rights_check_pid(const char *sysroot, pid_t pid, struct err *err);

/* Whether a filter of system calls (seccomp) is on us: what is refused may be its doing. */
bool rights_is_filtered(void);

/*
 * Does Yama keep this process from other programs of its own user: ptrace, and writing to their memory? why: the
 * setting and what would help, "" if not.
 */
bool rights_is_yama(const char *sysroot, char *why, size_t size);

#endif
