/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The threads that a watching process (next_watch.c) holds, or waits to hold because another inftrace holds them at the
 * moment. Bounded in number and in time. Calls from the one thread that traces.
 */
#ifndef CAPTURE_PROBE_NEXT_HELD_H
#define CAPTURE_PROBE_NEXT_HELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "capture/probe/next/next_events.h"
#include "capture/probe/next/next_watch.h"

enum { NEXT_MAX_HELD = 1024 };

struct next_held {
	struct next_found found;
	int status;		 /* of waitpid */
	unsigned n_pending;	 /* files of it that are to be looked at */
	bool is_stopped;	 /* it stands still by our doing */
	bool is_awaited;	 /* another inftrace holds it: it is asked for again and again */
	bool is_wanted, is_told; /* wanted: it has a runtime */
	bool is_released;
};

struct next_helds {
	struct next_held *held[NEXT_MAX_HELD];
	size_t n, n_awaited;
};

/* NULL: this thread is not held. */
struct next_held *next_held_find(const struct next_helds *all, pid_t tid);
/*
 * Asks the thread of a mapping to stop, if it was not asked before; found.hold says whether that can be. NULL: there is
 * no room, and it goes on.
 */
struct next_held *next_held_begin(struct next_helds *all, const struct next_mapping *mapping);
/* Asks those again that another inftrace held a moment ago. To be called every 100 us while n_awaited is not 0. */
void next_held_retry(struct next_helds *all);
/* It goes on, now or as soon as it has stopped; `held` may be gone then. */
void next_held_release(struct next_helds *all, struct next_held *held);
/* Lets those go on that are held for NEXT_LONGEST_HOLD_S. */
void next_held_expire(struct next_helds *all);
/* It has ended, or goes on already. */
void next_held_drop(struct next_helds *all, struct next_held *held);
/* Tells of those that stand still, or cannot be held. Those for which there is no room now are told the next time. */
void next_held_tell(struct next_helds *all, int socket);

#endif
