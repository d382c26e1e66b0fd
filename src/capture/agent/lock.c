// SPDX-License-Identifier: Apache-2.0
/* A spin lock that yields at first, because its critical sections take microseconds, and then sleeps. */
#include "capture/agent/lock.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

enum { YIELDS = 100, PAUSE_NS = 50000, PATIENCE_NS = 100000000 };

/* No one waits until then, because the last wait was in vain. */
static uint64_t in_vain_until_ns;

static bool is_in_vain(uint64_t since_ns, uint64_t now_ns)
{
	if (now_ns - since_ns < PATIENCE_NS)
		return now_ns < __atomic_load_n(&in_vain_until_ns, __ATOMIC_RELAXED);
	__atomic_store_n(&in_vain_until_ns, now_ns + PATIENCE_NS, __ATOMIC_RELAXED);
	return true;
}

static bool wait_for(struct lock *lock, bool gives_up)
{
	const struct timespec pause = { 0, PAUSE_NS };
	uint64_t since_ns = 0, now_ns;

	for (unsigned i = 0; __atomic_exchange_n(&lock->is_taken, 1, __ATOMIC_ACQUIRE); i++) {
		if (i < YIELDS) {
			syscall(SYS_sched_yield);
			continue;
		}
		now_ns = clock_ns();
		since_ns = since_ns ? since_ns : now_ns;
		if (gives_up && is_in_vain(since_ns, now_ns))
			return false;
		syscall(SYS_nanosleep, &pause, NULL);
	}
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

	__atomic_store_n(&lock->is_taken, 0, __ATOMIC_RELEASE);
	pthread_setcancelstate(state, NULL);
}
