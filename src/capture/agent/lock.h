/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The agent's locks, in the program's threads of any policy and priority. A thread that waits sleeps after a while, so
 * that an owner of lower priority gets its CPU. An owner cannot be cancelled.
 */
#ifndef CAPTURE_AGENT_LOCK_H
#define CAPTURE_AGENT_LOCK_H

#include <stdbool.h>
#include <stdint.h>

struct lock {
	uint32_t is_taken;
	int32_t cancellation; /* the owner's state of cancellation, to be restored */
	uint32_t owner;	      /* counts them */
	uint32_t lost_owner;  /* for whom somebody has waited in vain: nobody else does; 0: none */
};

void lock_take(struct lock *lock);
/* False: its owner has not got a CPU for a second. The caller counts a loss and goes on without the lock. */
bool lock_try(struct lock *lock);
void lock_give(struct lock *lock);

#endif
