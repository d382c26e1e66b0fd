// SPDX-License-Identifier: Apache-2.0
/* Opens trace events on all CPUs and reads their rings. Does not know the events. */
#include "capture/source/device/trace_ring.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "capture/proc/rights.h"

enum { RING_BYTES = 256 << 10, MOST_EVENTS = 4, RECORD = 1 << 16 };

struct trace_cpu {
	int fd[MOST_EVENTS];
	unsigned n;
	void *page; /* the ring of the first, in which all of them write */
	uint64_t tail;
};

/* As sample_type says: who, when, and the event. */
struct sample_record {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t time;
	uint32_t size;
	uint8_t raw[];
};

struct lost_record {
	struct perf_event_header header;
	uint64_t id, n;
};

static int open_event(uint64_t id, unsigned cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof attr,
		.config = id,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_RAW,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		/* nobody waits for it */
		.watermark = 1,
		.wakeup_watermark = RING_BYTES / 2,
	};

	return (int)syscall(SYS_perf_event_open, &attr, -1, (int)cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static int refuse(int code, struct err *err)
{
	if ((code == EACCES || code == EPERM) && rights_check_perf(false, err))
		return err_wrap(err, "cannot watch GPU jobs");
	return err_set(err, code, "cannot watch GPU jobs: %s", strerror(code));
}

static int open_cpu(struct trace_cpu *cpu, unsigned number, const uint64_t *ids, size_t n)
{
	for (size_t i = 0; i < n && i < MOST_EVENTS; i++) {
		int fd = open_event(ids[i], number);

		if (fd < 0)
			return errno;
		cpu->fd[cpu->n++] = fd;
		if (i && ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, cpu->fd[0]))
			return errno;
		if (i)
			continue;
		cpu->page =
		    mmap(NULL, (size_t)sysconf(_SC_PAGESIZE) + RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (cpu->page == MAP_FAILED) {
			cpu->page = NULL;
			return errno;
		}
	}
	return 0;
}

static void close_cpu(struct trace_cpu *cpu)
{
	if (cpu->page)
		munmap(cpu->page, (size_t)sysconf(_SC_PAGESIZE) + RING_BYTES);
	for (unsigned i = 0; i < cpu->n; i++)
		close(cpu->fd[i]);
	*cpu = (struct trace_cpu){ .n = 0 };
}

void trace_rings_close(struct trace_rings *rings)
{
	for (unsigned i = 0; i < rings->n_cpus; i++)
		close_cpu(&rings->cpu[i]);
	free(rings->cpu);
	*rings = (struct trace_rings){ .n_lost = 0 };
}

int trace_rings_open(struct trace_rings *rings, const uint64_t *ids, size_t n, struct err *err)
{
	long n_cpus = sysconf(_SC_NPROCESSORS_CONF);
	int code = 0;

	rings->cpu = calloc(n_cpus > 0 ? (size_t)n_cpus : 1, sizeof *rings->cpu);
	if (!rings->cpu)
		return refuse(ENOMEM, err);
	for (unsigned i = 0; i < (unsigned)(n_cpus > 0 ? n_cpus : 1) && !code; i++) {
		code = open_cpu(&rings->cpu[rings->n_cpus], i, ids, n);
		if (code)
			close_cpu(&rings->cpu[rings->n_cpus]);
		else
			rings->n_cpus++;
		if (code == ENODEV) /* a processor that is switched off */
			code = 0;
	}
	if (!code && rings->n_cpus)
		return 0;
	trace_rings_close(rings);
	return refuse(code ? code : ENODEV, err);
}

/* Bytes of the ring from a position on, which may go on at its beginning. */
static void copy_out(const struct trace_cpu *cpu, uint64_t at, void *to, size_t size)
{
	const char *ring = (const char *)cpu->page + sysconf(_SC_PAGESIZE);
	size_t from = (size_t)(at % RING_BYTES), first = RING_BYTES - from < size ? RING_BYTES - from : size;

	memcpy(to, ring + from, first);
	memcpy((char *)to + first, ring, size - first);
}

struct round {
	struct trace_rings *rings;
	int (*take)(void *ctx, const struct trace_sample *sample);
	void *ctx;
};

static int take_record(const struct round *round, const void *record, size_t size)
{
	const struct perf_event_header *header = record;

	if (header->type == PERF_RECORD_LOST && size >= sizeof(struct lost_record))
		round->rings->n_lost += ((const struct lost_record *)record)->n;
	if (header->type == PERF_RECORD_SAMPLE && size >= offsetof(struct sample_record, raw)) {
		const struct sample_record *from = record;
		struct trace_sample sample = { from->time, (pid_t)from->pid, from->raw, from->size };

		if (sample.size <= size - offsetof(struct sample_record, raw))
			return round->take(round->ctx, &sample);
	}
	return 0;
}

static int read_cpu(const struct round *round, struct trace_cpu *cpu)
{
	static union {
		struct perf_event_header header;
		uint64_t words[RECORD / 8];
	} record;
	struct perf_event_mmap_page *page = cpu->page;
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	int code = 0;

	while (head - cpu->tail >= sizeof record.header && !code) {
		copy_out(cpu, cpu->tail, &record, sizeof record.header);
		if (record.header.size < sizeof record.header || record.header.size > head - cpu->tail)
			break;
		copy_out(cpu, cpu->tail, &record, record.header.size);
		cpu->tail += record.header.size;
		code = take_record(round, &record, record.header.size);
	}
	__atomic_store_n(&page->data_tail, cpu->tail, __ATOMIC_RELEASE);
	return code;
}

int trace_rings_read(struct trace_rings *rings, int (*take)(void *ctx, const struct trace_sample *sample), void *ctx)
{
	const struct round round = { rings, take, ctx };
	int code = 0;

	for (unsigned i = 0; i < rings->n_cpus && !code; i++)
		code = read_cpu(&round, &rings->cpu[i]);
	return code;
}
