/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs that are not recorded and use CPUs: "other program NAME", percent of one CPU, of all processes of that name.
 * /proc is read as a whole, which takes milliseconds: once a second, and when a recorded process has waited for a CPU,
 * but for at most a thousandth of the time (a hundredth while one waits). Only programs that have used a tenth of a
 * CPU get a counter. What a process used after it was last seen is not known once it has ended.
 */
#ifndef CAPTURE_SOURCE_OTHERS_H
#define CAPTURE_SOURCE_OTHERS_H

#include "capture/source/counter.h"
#include "capture/source/follow.h"

enum { OTHERS_NAMED = 64 };

/* A process as it was seen last. */
struct other_process {
	pid_t pid;
	uint32_t round;
	uint64_t start_ticks, ticks;
};

struct other_program {
	char name[64];
	struct held cpu;
	uint64_t ticks;	  /* in this round */
	uint64_t used_ns; /* time of the last round that had some */
};

/* Starts zeroed. */
struct others {
	struct other_process *process; /* by pid */
	size_t n, capacity;
	struct other_program program[OTHERS_NAMED];
	size_t n_programs;
	uint64_t base_ns, due_ns, cost_ns;
	uint32_t round;
};

/* is_wanted: a recorded process has waited for a CPU since the last call. 0, or the sink's error. */
int others_look(struct others *others, const struct sample *sample, bool is_wanted);
void others_done(struct others *others);

#endif
