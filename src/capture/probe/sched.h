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

enum sched_whose { SCHED_OTHERS, SCHED_ITS_OWN, SCHED_WATCHED };

/* The process that waited, and who ran: a process of this name, itself, or another one that is watched. */
struct sched_pair {
	uint32_t tgid;
	uint32_t whose; /* enum sched_whose; only others have a name */
	char name[SCHED_NAME];
};

#endif
