// SPDX-License-Identifier: Apache-2.0
/*
 * The kernel writes into a ring that is mapped here, which costs no system call to read. The events count the thread's
 * CPU time; where the kernel's own part may not be looked at, moments in it are left out.
 */
#include "capture/stacks/stack_moment.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/processor.h"

enum { RING = 32768, SOONER = 8, LONGEST = 16 };

static size_t ring_size(void)
{
	return RING > page_size() ? RING : page_size();
}

static size_t map_size(const struct stack_moments *moments)
{
	return page_size() + (moments->has_ring ? ring_size() : 0);
}

static int map(struct stack_moments *moments)
{
	int failed;

	moments->map = mmap(NULL, map_size(moments), PROT_READ | PROT_WRITE, MAP_SHARED, moments->slot - 1, 0);
	if (moments->map != MAP_FAILED)
		return 0;
	failed = -errno;
	close(moments->slot - 1);
	*moments = (struct stack_moments){ 0 };
	return failed;
}

int stack_moments_open(struct stack_moments *moments, pid_t tid, uint64_t period_ns, bool wakes)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof attr,
					.config = PERF_COUNT_SW_TASK_CLOCK,
					.sample_period = period_ns / SOONER,
					.sample_type =
					    PERF_SAMPLE_TIME | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
					.sample_regs_user = STACK_PERF_MASK,
					.sample_stack_user = STACK_MOMENT_BYTES,
					.use_clockid = 1,
					.clockid = CLOCK_MONOTONIC };
	long fd;

	if (wakes) {
		attr.wakeup_events = 1;
	} else {
		attr.watermark = 1;
		attr.wakeup_watermark = UINT32_MAX;
	}
	fd = syscall(SYS_perf_event_open, &attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0 && (errno == EACCES || errno == EPERM)) {
		attr.exclude_kernel = 1;
		fd = syscall(SYS_perf_event_open, &attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
	}
	if (fd < 0)
		return -errno;
	*moments = (struct stack_moments){
		.slot = (int)fd + 1, .wakes = wakes, .period_ns = period_ns, .set_ns = period_ns / SOONER
	};
	return map(moments);
}

int stack_moments_begin(struct stack_moments *moments)
{
	if (moments->has_ring)
		return 0;
	munmap(moments->map, map_size(moments));
	moments->has_ring = true;
	return map(moments);
}

/* The kernel changes it each time that it puts the event on a CPU with its thread. */
uint32_t stack_moments_turns(const struct stack_moments *moments)
{
	const struct perf_event_mmap_page *page = moments->map;

	return __atomic_load_n(&page->lock, __ATOMIC_ACQUIRE);
}

static void copy(const struct stack_moments *moments, uint64_t from, void *to, size_t size)
{
	const char *ring = (const char *)moments->map + page_size();
	size_t at = (size_t)(from & (ring_size() - 1)), first = ring_size() - at < size ? ring_size() - at : size;

	memcpy(to, ring + at, first);
	memcpy((char *)to + first, ring, size - first);
}

/* { time, abi, registers, size, bytes, size that is there } */
static bool take_sample(const struct stack_moments *moments, uint64_t at, uint64_t end, struct stack_moment *moment)
{
	uint64_t head[2], values[STACK_PERF_N], size, used;

	if (end - at < sizeof head + sizeof values + sizeof size)
		return false;
	copy(moments, at, head, sizeof head);
	at += sizeof head;
	if (head[1] != PERF_SAMPLE_REGS_ABI_64)
		return false;
	copy(moments, at, values, sizeof values);
	at += sizeof values;
	copy(moments, at, &size, sizeof size);
	at += sizeof size;
	*moment = (struct stack_moment){ .time_ns = head[0] };
	moment->registers.pc = values[STACK_PERF_PC];
	for (int i = 0; i < STACK_PERF_N; i++)
		if (stack_perf_register[i] != UINT8_MAX)
			stack_register_set(&moment->registers, stack_perf_register[i], values[i]);
	if (!size || size > sizeof moment->stack || end - at < size + sizeof used)
		return true;
	copy(moments, at + size, &used, sizeof used);
	moment->size = (size_t)(used < size ? used : size);
	copy(moments, at, moment->stack, moment->size);
	return true;
}

bool stack_moments_take(struct stack_moments *moments, struct stack_moment *moment)
{
	struct perf_event_mmap_page *page = moments->map;
	struct perf_event_header header;
	uint64_t head, tail, last = 0, last_end = 0;

	if (!moments->has_ring)
		return false;
	head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	for (tail = page->data_tail; head - tail >= sizeof header; tail += header.size) {
		copy(moments, tail, &header, sizeof header);
		if (header.size < sizeof header || header.size > head - tail)
			break;
		if (header.type == PERF_RECORD_SAMPLE) {
			last = tail + sizeof header;
			last_end = tail + header.size;
		}
	}
	if (last_end && !take_sample(moments, last, last_end, moment))
		last_end = 0;
	__atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);
	if (last_end && moments->set_ns != moments->period_ns) {
		ioctl(moments->slot - 1, PERF_EVENT_IOC_PERIOD, &moments->period_ns);
		moments->set_ns = moments->period_ns;
	}
	return last_end;
}

void stack_moments_pace(struct stack_moments *moments, const struct stack_pace *pace)
{
	bool waits = pace->waited_ns - moments->waited_ns > pace->ran_ns - moments->ran_ns;

	moments->ran_ns = pace->ran_ns;
	moments->waited_ns = pace->waited_ns;
	if ((pace->are_many || waits) && moments->period_ns < LONGEST * pace->least_ns)
		moments->period_ns *= 2;
	else if (!waits && pace->are_few && moments->period_ns > pace->least_ns)
		moments->period_ns = pace->least_ns;
}

void stack_moments_close(struct stack_moments *moments)
{
	if (!moments->slot)
		return;
	munmap(moments->map, map_size(moments));
	close(moments->slot - 1);
	*moments = (struct stack_moments){ 0 };
}
