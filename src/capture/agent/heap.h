/* SPDX-License-Identifier: Apache-2.0 */
/* What the C library's malloc has in use, and what it keeps free, for the recorder (segment->heap_*). */
#ifndef CAPTURE_AGENT_HEAP_H
#define CAPTURE_AGENT_HEAP_H

#include <stdbool.h>

#include "capture/agent/agent.h"

/*
 * Call while the agent is loaded, when its thread may use the loader: never from within a walk through the modules,
 * because another thread in dlopen may hold what this waits for, and wait for the walk. Does nothing where another
 * library's malloc is in use, or the C library cannot tell.
 */
void heap_find(void);
/* Call when a runtime is armed: looks begin. */
void heap_start(void);

extern uint64_t heap_due_at __attribute__((visibility("hidden"))); /* ticks */
void heap_look_now(uint64_t now);

/*
 * Looks if it is time to. Takes malloc's locks one after the other: call it only on a thread of the program that
 * could call malloc itself.
 */
static inline void heap_look(uint64_t now)
{
	if (now >= __atomic_load_n(&heap_due_at, __ATOMIC_RELAXED))
		heap_look_now(now);
}

#endif
