/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Watches the scheduler's events through BPF: who ran while threads of watched processes waited for a CPU. Needs root
 * (CAP_BPF, CAP_PERFMON), the machine's own pid namespace and the kernel's types. One thread.
 */
#ifndef CAPTURE_PROBE_SCHED_WATCH_H
#define CAPTURE_PROBE_SCHED_WATCH_H

#include <sys/types.h>

#include "base/err.h"
#include "capture/probe/sched.h"

struct sched_watch;

/* Whether it could start here: 0, or -errno and the reason; -EOPNOTSUPP: without rights. No side effects. */
int sched_watch_check(struct err *err);
int sched_watch_start(struct sched_watch **watch, struct err *err);
int sched_watch_add(struct sched_watch *watch, pid_t pid); /* 0; -errno: -EPERM a right is missing */
void sched_watch_remove(struct sched_watch *watch, pid_t pid);
/* Nanoseconds since the last call, pair by pair. A result other than 0 ends it, and is returned. */
int sched_watch_take(struct sched_watch *watch, int (*take)(void *ctx, const struct sched_pair *pair, uint64_t ns),
		     void *ctx);
void sched_watch_stop(struct sched_watch *watch); /* NULL does nothing */

#endif
