/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks whether the kernel and the rights of this process allow probes from outside, with messages for people: what is
 * missing, why, and how to get it.
 */
#ifndef CAPTURE_PROC_RIGHTS_H
#define CAPTURE_PROC_RIGHTS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"

enum { RIGHTS_ADVICE = 240, RIGHTS_WHY = 360 };

/* The one command that grants the missing rights; may_be_root: or root. */
void rights_advise(const char *sysroot, bool may_be_root, char *to, size_t size);

/*
 * Whether uprobes_open could work here. 0, or -errno and the first missing thing. Leaves nothing behind. sysroot: "" on
 * a live machine.
 */
int rights_check(const char *sysroot, struct err *err);

/*
 * Whether this process may open perf events, as `next` needs them, or perf probes, as kernels before 6.6 need them. 0,
 * or -errno and why not: "kernel.perf_event_paranoid is 3 ...; run it ...".
 */
int rights_check_perf(bool are_probes, struct err *err);

/*
 * Whether the memory map and the memory of this process can be read. 0, or -errno and why not: EPERM: only its memory
 * is unreadable, so models of existing sessions have no name; ESRCH: it has ended.
 */
int rights_check_pid(const char *sysroot, pid_t pid, struct err *err);

/*
 * Whether functions of this process may get probes on their return. 0, or -ENOTSUP and err: it has a shadow stack, with
 * which kernels before 6.11 do not keep such probes in step: the first return would kill it.
 */
int rights_check_returns(const char *sysroot, pid_t pid, struct err *err);

/* How many filters of system calls (seccomp) apply to this process; kernels before 5.9: 1 if there are any. */
unsigned rights_count_filters(void);
/* Whether one does: it may be the reason for a refusal. */
bool rights_is_filtered(void);

/*
 * Whether Yama keeps this process from other programs of its own user: ptrace, and writing to their memory. why: the
 * setting and how to change it, "" if not.
 */
bool rights_is_yama(const char *sysroot, char *why, size_t size);

#endif
