/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Moments of a thread that runs: its registers and the inner part of its stack, as the kernel's perf events copy them
 * while it runs, without a stop or a signal. A kernel may refuse that (kernel.perf_event_paranoid).
 */
#ifndef CAPTURE_STACKS_STACK_MOMENT_H
#define CAPTURE_STACKS_STACK_MOMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "capture/code/code_reader.h"

/* Registers of a thread by DWARF's numbers, and which of the kernel's samples they are. */
#if defined(__x86_64__)
enum { STACK_SP = 7, STACK_FP = 6, STACK_PERF_PC = 8, STACK_PERF_N = 17, STACK_HAS_LINK = 0, STACK_LINK = 16 };
#define STACK_PERF_MASK UINT64_C(0xff01ff)
/* by the order in which the kernel writes them: AX BX CX DX SI DI BP SP IP R8 ... */
static const uint8_t stack_perf_register[STACK_PERF_N] = { 0, 3, 2,  1,	 4,  5,	 6,  7, UINT8_MAX,
							   8, 9, 10, 11, 12, 13, 14, 15 };
#else
enum { STACK_SP = 31, STACK_FP = 29, STACK_PERF_PC = 32, STACK_PERF_N = 33, STACK_HAS_LINK = 1, STACK_LINK = 30 };
#define STACK_PERF_MASK UINT64_C(0x1ffffffff)
static const uint8_t stack_perf_register[STACK_PERF_N] = { 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
							   11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
							   22, 23, 24, 25, 26, 27, 28, 29, 30, 31, UINT8_MAX };
#endif

struct stack_registers {
	uint64_t value[CODE_REGISTERS], pc;
	uint64_t known; /* a bit each */
};

static inline bool stack_register(const struct stack_registers *registers, unsigned number, uint64_t *value)
{
	*value = registers->value[number];
	return registers->known >> number & 1;
}

static inline void stack_register_set(struct stack_registers *registers, unsigned number, uint64_t value)
{
	registers->value[number] = value;
	registers->known |= UINT64_C(1) << number;
}

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
	uint64_t ran_ns, waited_ns; /* of the thread, when the period was last chosen */
	void *map;
};

/* What the period is chosen by. */
struct stack_pace {
	uint64_t ran_ns, waited_ns, least_ns; /* what the thread has run, and waited for a CPU; the shortest period */
	bool are_many, are_few;		      /* moments of all threads in the last second */
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
/*
 * Chooses the period, after a moment that woke the sampler. That ends the thread's time slice, and beside others its
 * turn: moments of a thread that waits for a CPU more than it runs are rare. It stands still then, most of the time,
 * and each look at it sees where it was.
 */
void stack_moments_pace(struct stack_moments *moments, const struct stack_pace *pace);
void stack_moments_close(struct stack_moments *moments);

#endif
