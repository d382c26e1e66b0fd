/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that any process of the machine maps as code, as it happens: side-band records of a perf event that counts
 * nothing, one per processor. Needs CAP_PERFMON (or root). One thread.
 */
#ifndef CAPTURE_PROBE_NEXT_EVENTS_H
#define CAPTURE_PROBE_NEXT_EVENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

struct next_mapping {
	pid_t pid, tid;
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	uint64_t start, size, offset;
	uint32_t major, minor;
	uint64_t inode, generation; /* generation: tells files apart that had the same inode; 0: not known */
	char path[4096];
};

struct next_events {
	int fd; /* readable when something was mapped */
	struct next_cpu *cpu;
	unsigned n_cpus;
	unsigned turn;	 /* whose ring is read next */
	uint64_t n_lost; /* records that found no room */
};

/* 0, or -errno and err: EACCES without the right. What is open ends with the process. */
int next_events_open(struct next_events *events, struct err *err);
/* The next mapping of a file as code; false: there is none now. */
bool next_events_take(struct next_events *events, struct next_mapping *mapping);

#endif
