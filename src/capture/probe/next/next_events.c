// SPDX-License-Identifier: Apache-2.0
/*
 * The kernel writes a record for each executable mapping into the ring of the processor on which it was made, before
 * the call that made it returns. Reading one: struct perf_event_header, the fields of PERF_RECORD_MMAP2, the path
 * padded to 8 bytes, then what sample_id_all adds: thread ids and time.
 */
#include "capture/probe/next/next_events.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "capture/proc/rights.h"

enum { RING_BYTES = 128 << 10, MAX_RECORD = 1 << 16, TRAILER = 16 };

struct next_cpu {
	int fd;
	struct perf_event_mmap_page *page;
};

struct mmap2_record {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t start, size, offset;
	uint32_t major, minor;
	uint64_t inode, generation;
	uint32_t protection, flags;
	char path[];
};

struct lost_record {
	struct perf_event_header header;
	uint64_t id, n;
};

static int open_event(unsigned cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof attr,
		.config = PERF_COUNT_SW_DUMMY,
		.mmap = 1,
		.mmap2 = 1,
		.sample_id_all = 1,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		/* wakes at each record: a count of events would count none of these */
		.watermark = 1,
		.wakeup_watermark = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, -1, (int)cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static int refuse(int code, struct err *err)
{
	if ((code == EACCES || code == EPERM || code == ENOSYS) && rights_is_filtered())
		return err_set(
		    err, EACCES,
		    "cannot watch what processes map: a filter of system calls (seccomp) refuses perf_event_open, or "
		    "CAP_PERFMON is missing; start the container with --security-opt seccomp=unconfined, or run "
		    "inftrace on the host");
	if ((code == EACCES || code == EPERM) && rights_check_perf(false, err))
		return err_wrap(err, "cannot watch what processes map");
	if (code == EACCES || code == EPERM)
		return err_set(err, EACCES, "cannot watch what processes map: CAP_PERFMON is missing; run it as root");
	return err_set(err, code, "cannot watch what processes map: %s", strerror(code));
}

static int open_cpu(struct next_events *events, unsigned number, struct err *err)
{
	struct next_cpu *cpu = &events->cpu[events->n_cpus];
	struct epoll_event ready = { .events = EPOLLIN };
	int code;

	cpu->fd = open_event(number);
	if (cpu->fd < 0)
		return errno == ENODEV ? 0 : refuse(errno, err); /* a processor that is switched off */
	cpu->page =
	    mmap(NULL, (size_t)sysconf(_SC_PAGESIZE) + RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, cpu->fd, 0);
	if (cpu->page == MAP_FAILED || epoll_ctl(events->fd, EPOLL_CTL_ADD, cpu->fd, &ready)) {
		code = errno;
		close(cpu->fd);
		return refuse(code, err);
	}
	events->n_cpus++;
	return 0;
}

int next_events_open(struct next_events *events, struct err *err)
{
	long n = sysconf(_SC_NPROCESSORS_CONF);
	int code = 0;

	*events = (struct next_events){ .fd = epoll_create1(EPOLL_CLOEXEC) };
	if (events->fd < 0)
		return refuse(errno, err);
	events->cpu = calloc(n > 0 ? (size_t)n : 1, sizeof *events->cpu);
	if (!events->cpu)
		return refuse(ENOMEM, err);
	for (unsigned i = 0; i < (unsigned)(n > 0 ? n : 1) && !code; i++)
		code = open_cpu(events, i, err);
	return code ? code : events->n_cpus ? 0 : refuse(ENODEV, err);
}

/* Bytes of the ring from a position on, which may go on at its beginning. */
static void copy_out(const struct next_cpu *cpu, uint64_t at, void *to, size_t size)
{
	const char *ring = (const char *)cpu->page + sysconf(_SC_PAGESIZE);
	size_t from = (size_t)(at % RING_BYTES), first = RING_BYTES - from < size ? RING_BYTES - from : size;

	memcpy(to, ring + from, first);
	memcpy((char *)to + first, ring, size - first);
}

static bool read_mapping(const char *record, size_t size, struct next_mapping *mapping)
{
	const struct mmap2_record *from = (const struct mmap2_record *)record;
	size_t room;

	if (size < sizeof *from + TRAILER)
		return false;
	room = size - sizeof *from - TRAILER;
	*mapping = (struct next_mapping){ .pid = (pid_t)from->pid,
					  .tid = (pid_t)from->tid,
					  .start = from->start,
					  .size = from->size,
					  .offset = from->offset,
					  .major = from->major,
					  .minor = from->minor,
					  .inode = from->inode,
					  .generation = from->generation };
	memcpy(&mapping->time_ns, record + size - 8, 8);
	if (from->pid > INT32_MAX || from->tid > INT32_MAX || !from->pid || !from->inode || *from->path != '/' ||
	    !memchr(from->path, 0, room) || room > sizeof mapping->path)
		return false;
	memcpy(mapping->path, from->path, room);
	return true;
}

/* One record of a ring into `record`; its size, 0: there is none. */
static size_t take_record(struct next_cpu *cpu, char *record)
{
	uint64_t head = __atomic_load_n(&cpu->page->data_head, __ATOMIC_ACQUIRE), tail = cpu->page->data_tail;
	struct perf_event_header header;

	if (head - tail < sizeof header)
		return 0;
	copy_out(cpu, tail, &header, sizeof header);
	if (header.size < sizeof header ||
	    header.size > head - tail) { /* cannot be: the ring is read anew from its end */
		__atomic_store_n(&cpu->page->data_tail, head, __ATOMIC_RELEASE);
		return 0;
	}
	copy_out(cpu, tail, record, header.size);
	__atomic_store_n(&cpu->page->data_tail, tail + header.size, __ATOMIC_RELEASE);
	return header.size;
}

bool next_events_take(struct next_events *events, struct next_mapping *mapping)
{
	_Alignas(8) static char record[MAX_RECORD];

	for (unsigned quiet = 0; quiet < events->n_cpus; events->turn++) {
		size_t size = take_record(&events->cpu[events->turn % events->n_cpus], record);
		const struct perf_event_header *header = (const struct perf_event_header *)record;
		if (!size) {
			quiet++;
			continue;
		}
		quiet = 0;
		if (header->type == PERF_RECORD_LOST && size >= sizeof(struct lost_record))
			events->n_lost += ((const struct lost_record *)record)->n;
		if (header->type == PERF_RECORD_MMAP2 && read_mapping(record, size, mapping))
			return true;
	}
	return false;
}
