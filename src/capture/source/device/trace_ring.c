// SPDX-License-Identifier: Apache-2.0
/* Opens trace events on all CPUs and reads their rings. Does not know the events. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "capture/proc/perf_ring.h"
#include "capture/proc/rights.h"
#include "capture/source/device/gpu_jobs.h"

enum { RING_BYTES = 256 << 10, MOST_EVENTS = 4 };

struct trace_cpu {
	int fd[MOST_EVENTS];
	unsigned n;
	struct perf_ring ring; /* of the first, in which all of them write */
};

/* As sample_type says: who, when, and the event. */
struct sample_record {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t time;
	uint32_t size;
	uint8_t raw[];
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
		int fd = open_event(ids[i], number), code;

		if (fd < 0)
			return errno;
		cpu->fd[cpu->n++] = fd;
		if (i && ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, cpu->fd[0]))
			return errno;
		code = i ? 0 : perf_ring_open(&cpu->ring, fd, RING_BYTES);
		if (code)
			return code;
	}
	return 0;
}

static void close_cpu(struct trace_cpu *cpu)
{
	if (cpu->ring.page)
		munmap(cpu->ring.page, (size_t)sysconf(_SC_PAGESIZE) + RING_BYTES);
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

/* False: it is none. */
static bool read_sample(const union perf_record *record, size_t size, struct trace_sample *sample)
{
	const struct sample_record *from = (const struct sample_record *)record;

	if (record->header.type != PERF_RECORD_SAMPLE || size < offsetof(struct sample_record, raw))
		return false;
	*sample = (struct trace_sample){ from->time, (pid_t)from->pid, from->raw, from->size };
	return sample->size <= size - offsetof(struct sample_record, raw);
}

int trace_rings_read(struct trace_rings *rings, int (*take)(void *ctx, const struct trace_sample *sample), void *ctx)
{
	static union perf_record record;
	struct trace_sample sample;
	int code = 0;
	size_t size;

	for (unsigned i = 0; i < rings->n_cpus; i++)
		while (!code && (size = perf_ring_take(&rings->cpu[i].ring, &record))) {
			rings->n_lost += perf_ring_lost(&record, size);
			if (read_sample(&record, size, &sample))
				code = take(ctx, &sample);
		}
	return code;
}
