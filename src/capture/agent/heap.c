// SPDX-License-Identifier: Apache-2.0
/*
 * Asks the C library (mallinfo2, glibc 2.33 and newer) after an inference has ended, on its thread: at most ten times a
 * second, for at most a thousandth of the time, and no more after two looks of over 2 ms, because it walks through all
 * free blocks. It waits for each arena's lock, as malloc does. Never at the end of the process: exit may have been
 * called by the handler of a signal that came within malloc, which holds such a lock.
 *
 * The C library counts free blocks by their addresses; pages that it gave back, or never used, are among them. So what
 * is kept is what of the resident anonymous memory is neither in use nor something else's: stacks, data of libraries,
 * other allocators. Of those at least as much is there as remained at any earlier look when all free blocks were
 * taken to be resident.
 */
#include "capture/agent/heap.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/clock.h"
#include "base/processor.h"
#include "base/syscalls.h"
#include "capture/agent/glibc.h"

enum { PACE_NS = 100000000, COST_SHARE = 1000, MOST_NS = 2000000, FIRST_TICKS = 1000000 };

/* struct mallinfo2 of malloc.h, which older C libraries do not have. */
struct heap_info {
	size_t arena, n_free, n_fast, n_mapped, mapped, most, fast, in_use, n_free_bytes, top;
};

uint64_t heap_due_at = UINT64_MAX;
static struct heap_info (*heap_info)(void);
static uint64_t looked_ticks, looked_ns; /* the clocks when `heap_start` was called */
static uint64_t last_cost_ns = UINT64_MAX;
static bool is_dear;   /* it is looked at no more, also when another runtime is armed */
static int64_t others; /* bytes of anonymous memory that are surely not malloc's */

void heap_find(void)
{
	void *libc = NULL, *found = NULL;

	if (!glibc.dlopen || !glibc.dlsym)
		return;
	libc = glibc.dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
	if (libc && glibc.dlsym(libc, "malloc") == glibc.dlsym(RTLD_DEFAULT, "malloc"))
		found = glibc.dlsym(libc, "mallinfo2");
	memcpy(&heap_info, &found, sizeof found);
}

void heap_start(void)
{
	if (!heap_info || is_dear)
		return;
	looked_ticks = agent_now();
	looked_ns = clock_ns();
	__atomic_store_n(&heap_due_at, looked_ticks + FIRST_TICKS, __ATOMIC_RELEASE);
}

/* Resident memory that is of no file; -1: not known. */
static int64_t read_anonymous(void)
{
	uint64_t number[3] = { 0 };
	char text[128];
	ssize_t got = 0;
	unsigned n = 0;
	int fd;

	call_begin();
	fd = call_open("/proc/self/statm", O_RDONLY | O_CLOEXEC, 0);
	if (fd >= 0) {
		got = call_read(fd, text, sizeof text);
		call_close(fd);
	}
	call_end();
	for (ssize_t i = 0; i < got && n < 3; i++)
		if (text[i] >= '0' && text[i] <= '9')
			number[n] = number[n] * 10 + (uint64_t)(text[i] - '0');
		else
			n++;
	return n == 3 && number[1] >= number[2] ? (int64_t)((number[1] - number[2]) * page_size()) : -1;
}

static void tell(const struct heap_info *info, int64_t anonymous, uint64_t now)
{
	struct segment *segment = agent.segment;
	int64_t n_free = (int64_t)info->n_free_bytes, kept;
	int64_t rest = anonymous - (int64_t)info->in_use - (int64_t)info->mapped;

	if (rest - n_free > others)
		others = rest - n_free;
	kept = rest - others;
	kept = kept < 0 ? 0 : kept < n_free ? kept : n_free;
	__atomic_store_n(&segment->heap_in_use, info->in_use + info->mapped, __ATOMIC_RELAXED);
	__atomic_store_n(&segment->heap_kept, (uint64_t)kept, __ATOMIC_RELAXED);
	__atomic_store_n(&segment->heap_at, now, __ATOMIC_RELEASE);
}

/* Ticks of so many nanoseconds, as the clocks have gone since `heap_start`. */
static uint64_t ticks_of(uint64_t ns, uint64_t ticks_passed, uint64_t ns_passed)
{
	return ns_passed ? (uint64_t)((double)ns * (double)ticks_passed / (double)ns_passed) : ns;
}

void heap_look_now(uint64_t now)
{
	uint64_t due = __atomic_load_n(&heap_due_at, __ATOMIC_ACQUIRE), begun_ns, ended_ns, cost_ns;
	uint64_t pace_ns = PACE_NS;
	struct heap_info info;
	int64_t anonymous;
	uint64_t least_ns;
	int saved = errno;

	if (now < due || !agent.segment ||
	    !__atomic_compare_exchange_n(&heap_due_at, &due, UINT64_MAX, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return;
	/* under a filter of its own, a process may not open files any more */
	if (__atomic_load_n(&agent.segment->filtered, __ATOMIC_RELAXED) || agent.segment->is_confined)
		return;
	begun_ns = clock_ns();
	info = heap_info();
	anonymous = read_anonymous();
	ended_ns = clock_ns();
	if (anonymous >= 0)
		tell(&info, anonymous, now);
	cost_ns = ended_ns - begun_ns;
	/* the lesser of two in a row, because what interrupts one of them is no cost */
	least_ns = cost_ns < last_cost_ns ? cost_ns : last_cost_ns;
	last_cost_ns = cost_ns;
	errno = saved;
	is_dear = least_ns > MOST_NS; /* a request would notice */
	if (is_dear)
		return;
	pace_ns = least_ns * COST_SHARE > pace_ns ? least_ns * COST_SHARE : pace_ns;
	now = agent_now();
	due = now + ticks_of(pace_ns, now - looked_ticks, ended_ns - looked_ns);
	__atomic_store_n(&heap_due_at, due, __ATOMIC_RELEASE);
}
