// SPDX-License-Identifier: Apache-2.0
/* Built without libbpf: nobody watches. */
#include <errno.h>
#include <stddef.h>

#include "capture/probe/sched_watch.h"

int sched_watch_check(struct err *err)
{
	return err_set(err, EOPNOTSUPP, "cannot watch the scheduler: inftrace was built without libbpf");
}

int sched_watch_start(struct sched_watch **watch, struct err *err)
{
	*watch = NULL;
	return sched_watch_check(err);
}

int sched_watch_add(struct sched_watch *watch, pid_t pid)
{
	return 0;
}

void sched_watch_remove(struct sched_watch *watch, pid_t pid)
{
}

int sched_watch_take(struct sched_watch *watch, int (*take)(void *ctx, const struct sched_pair *pair, uint64_t ns),
		     void *ctx)
{
	return 0;
}

void sched_watch_stop(struct sched_watch *watch)
{
}
