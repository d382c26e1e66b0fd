// SPDX-License-Identifier: Apache-2.0
/* A spin lock that yields at first, because its critical sections take microseconds, and then sleeps. */
#include "capture/agent/lock.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>

#include "base/clock.h"
#include "base/syscalls.h"

enum { YIELDS = 100, PAUSE_NS = 50000 };
#define PATIENCE_NS 1000000000u	     /* with one owner; a busy machine may run it as late as that */
#define LONGEST_WAIT_NS 10000000000u /* with one owner after the other */

struct wait {
	uint64_t begin_ns, owner_ns; /* since when it waits: at all, and for this owner; 0: it yields so far */
	uint32_t owner;
};

/* Whether this owner does not come back, or others are always faster. */
static bool is_in_vain(struct lock *lock, struct wait *wait, uint32_t owner)
{
	uint64_t now_ns = clock_ns();

	if (!wait->begin_ns)
		wait->begin_ns = now_ns;
	if (!wait->owner_ns || wait->owner != owner)
		wait->owner_ns = now_ns;
	wait->owner = owner;
	if (now_ns - wait->owner_ns < PATIENCE_NS)
		return now_ns - wait->begin_ns >= LONGEST_WAIT_NS;
	__atomic_store_n(&lock->lost_owner, owner, __ATOMIC_RELAXED);
	return true;
}

static bool wait_for(struct lock *lock, bool gives_up)
{
	struct wait wait = { 0 };
	uint32_t owner;

	for (unsigned i = 0; __atomic_exchange_n(&lock->is_taken, 1, __ATOMIC_ACQUIRE); i++) {
		owner = __atomic_load_n(&lock->owner, __ATOMIC_RELAXED);
		if (gives_up && ((owner && owner == __atomic_load_n(&lock->lost_owner, __ATOMIC_RELAXED)) ||
				 (i >= YIELDS && is_in_vain(lock, &wait, owner))))
			return false;
		if (i < YIELDS)
			CALL(SYS_sched_yield, 0);
		else
			call_sleep_ns(PAUSE_NS);
	}
	owner = lock->owner + 1;
	__atomic_store_n(&lock->owner, owner ? owner : 1, __ATOMIC_RELAXED);
	return true;
}

static bool take(struct lock *lock, bool gives_up)
{
	int saved = errno, state;
	bool has_it;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	has_it = wait_for(lock, gives_up);
	if (has_it)
		lock->cancellation = state;
	else
		pthread_setcancelstate(state, NULL);
	errno = saved;
	return has_it;
}

void lock_take(struct lock *lock)
{
	take(lock, false);
}

bool lock_try(struct lock *lock)
{
	return take(lock, true);
}

void lock_give(struct lock *lock)
{
	int state = lock->cancellation;

	__atomic_store_n(&lock->lost_owner, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&lock->is_taken, 0, __ATOMIC_RELEASE);
	pthread_setcancelstate(state, NULL);
}
