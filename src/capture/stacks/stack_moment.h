/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Moments of a thread that runs: its registers and the inner part of its stack, as the kernel's perf events copy them
 * while it runs, without a stop or a signal. A kernel may refuse that (kernel.perf_event_paranoid).
 */
#ifndef CAPTURE_STACKS_STACK_MOMENT_H
#define CAPTURE_STACKS_STACK_MOMENT_H

#include <stddef.h>
#include <sys/types.h>

#include "capture/stacks/stack_registers.h"

enum { STACK_MOMENT_BYTES = 8192 };

struct stack_moment {
	uint64_t time_ns;
	struct stack_registers registers;
	size_t size; /* of what is copied of the stack, from its pointer on */
	uint64_t stack[STACK_MOMENT_BYTES / sizeof(uint64_t)];
};

/* Of one thread. Zeroed: closed. */
struct stack_moments {
	int slot; /* descriptor + 1 */
	bool wakes, has_ring;
	uint64_t period_ns, set_ns; /* between two; the kernel has set_ns: the first one comes soon */
	void *map;
};

/*
 * Counts from now on how often the thread gets a CPU, and takes no moments yet. wakes: each moment will make the
 * descriptor readable. 0 or -errno.
 */
int stack_moments_open(struct stack_moments *moments, pid_t tid, uint64_t period_ns, bool wakes);
/* Takes moments. 0 or -errno: then it is closed. */
int stack_moments_begin(struct stack_moments *moments);
/* Another number: the thread has got a CPU since, or moments have begun. Costs no system call. */
uint32_t stack_moments_turns(const struct stack_moments *moments);
/* The newest one since the last call; from then on they come each period_ns of the thread's CPU time. */
bool stack_moments_take(struct stack_moments *moments, struct stack_moment *moment);
void stack_moments_close(struct stack_moments *moments);

#endif
