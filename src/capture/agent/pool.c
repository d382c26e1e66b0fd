// SPDX-License-Identifier: Apache-2.0
/*
 * A new pool thread has no work: it spins, by default for some 30 ms, before it sleeps. The kernel has a CPU clock of
 * each thread, which other threads of the process may read. A thread that has ended has none.
 */
#include <errno.h>
#include <time.h>

#include "base/syscalls.h"
#include "capture/agent/agent.h"
#include "capture/agent/brackets.h"

/* The clock of a thread's CPU time, by its number: see the kernel's posix-timers.h. */
static long clock_of(int32_t tid)
{
	enum { PER_THREAD = 4, SCHEDULED = 2, NUMBER_SHIFT = 3 };

	return (long)(int32_t)(~(uint32_t)tid << NUMBER_SHIFT | PER_THREAD | SCHEDULED);
}

void pool_join(struct pool *pool, uint32_t round)
{
	uint32_t at;

	if (__atomic_load_n(&pool->round, __ATOMIC_RELAXED) != round)
		return;
	at = __atomic_fetch_add(&pool->n, 1, __ATOMIC_RELAXED);
	if (at < POOL_THREADS)
		__atomic_store_n(&pool->tid[at], agent_tid(), __ATOMIC_RELAXED);
}

void pool_tell(struct thread *thread, uint32_t session)
{
	struct pool *pool = &thread->pool;
	struct timespec cpu;
	struct record *record;
	uint64_t cpu_ns = 0;
	uint32_t n = pool->n_started;
	int saved = errno;

	for (int i = 0; i < POOL_THREADS; i++) {
		int32_t tid = __atomic_exchange_n(&pool->tid[i], 0, __ATOMIC_RELAXED);
		if (!tid || CALL(SYS_clock_gettime, clock_of(tid), (long)&cpu))
			continue;
		cpu_ns += (uint64_t)cpu.tv_sec * 1000000000u + (uint64_t)cpu.tv_nsec;
	}
	pool->n_started = 0;
	__atomic_fetch_add(&pool->round, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&pool->n, 0, __ATOMIC_RELAXED);
	errno = saved;
	if (!n || !(record = agent_claim(thread)))
		return;
	*record = (struct record){ .value = cpu_ns, .id = session, .run = n, .type = RECORD_POOL };
	agent_publish(thread);
}
