/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the BPF program on the scheduler's events (sched.bpf.c) and the recorder share: who ran on a CPU while a watched
 * process's thread waited for it.
 */
#ifndef CAPTURE_PROBE_SCHED_H
#define CAPTURE_PROBE_SCHED_H

#ifdef __bpf__
#include <linux/types.h>
typedef __u64 uint64_t;
typedef __u32 uint32_t;
#else
#include <stdint.h>
#endif

enum { SCHED_NAME = 16, SCHED_PROCESSES = 1024, SCHED_PAIRS = 4096 };

/* The process that waited, and the name of the one that ran; "": the waiting process itself. */
struct sched_pair {
	uint32_t tgid;
	char name[SCHED_NAME];
};

#endif
