// SPDX-License-Identifier: Apache-2.0
/*
 * The kernel writes a record for each executable mapping into the ring of the processor on which it was made, before
 * the call that made it returns. Reading one: struct perf_event_header, the fields of PERF_RECORD_MMAP2, the path
 * padded to 8 bytes, then what sample_id_all adds: thread ids and time.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "capture/probe/next/next_in.h"
#include "capture/proc/perf_ring.h"
#include "capture/proc/rights.h"

enum { RING_BYTES = 128 << 10, TRAILER = 16 };

struct next_cpu {
	int fd;
	struct perf_ring ring;
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
	code = perf_ring_open(&cpu->ring, cpu->fd, RING_BYTES);
	if (!code && epoll_ctl(events->fd, EPOLL_CTL_ADD, cpu->fd, &ready))
		code = errno;
	if (code) {
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

static bool read_mapping(const union perf_record *record, size_t size, struct next_mapping *mapping)
{
	const struct mmap2_record *from = (const struct mmap2_record *)record;
	size_t room;

	if (record->header.type != PERF_RECORD_MMAP2 || size < sizeof *from + TRAILER)
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
	memcpy(&mapping->time_ns, record->bytes + size - 8, 8);
	if (from->pid > INT32_MAX || from->tid > INT32_MAX || !from->pid || !from->inode || *from->path != '/' ||
	    !memchr(from->path, 0, room) || room > sizeof mapping->path)
		return false;
	memcpy(mapping->path, from->path, room);
	return true;
}

bool next_events_take(struct next_events *events, struct next_mapping *mapping)
{
	static union perf_record record;

	for (unsigned quiet = 0; quiet < events->n_cpus; events->turn++) {
		size_t size = perf_ring_take(&events->cpu[events->turn % events->n_cpus].ring, &record);

		quiet = size ? 0 : quiet + 1;
		events->n_lost += size ? perf_ring_lost(&record, size) : 0;
		if (size && read_mapping(&record, size, mapping))
			return true;
	}
	return false;
}
