/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples of the kernel's trace events, of all processes, through perf: a ring for each CPU. Needs CAP_PERFMON. Times
 * are CLOCK_MONOTONIC. What a full ring drops is counted.
 */
#ifndef CAPTURE_SOURCE_DEVICE_TRACE_RING_H
#define CAPTURE_SOURCE_DEVICE_TRACE_RING_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

struct trace_cpu;

struct trace_rings {
	struct trace_cpu *cpu;
	unsigned n_cpus;
	uint64_t n_lost;
};

struct trace_sample {
	uint64_t time_ns;
	pid_t pid;
	const uint8_t *raw; /* the event's bytes */
	size_t size;
};

/* ids: of the events, from their format files. 0, or -errno and err. */
int trace_rings_open(struct trace_rings *rings, const uint64_t *ids, size_t n, struct err *err);
/* Calls take for each sample, ring after ring: not in the order of time. A result other than 0 ends it. */
int trace_rings_read(struct trace_rings *rings, int (*take)(void *ctx, const struct trace_sample *sample), void *ctx);
void trace_rings_close(struct trace_rings *rings);

#endif
