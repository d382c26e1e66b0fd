/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread that wakes up often beside a program that computes. Where no CPU is idle, each wake-up ends the time slice
 * of a thread that runs, perhaps amid an inference, which then waits for a turn of all others. Slices end by themselves
 * with ticks of the kernel: a wake-up at a tick ends none early.
 */
#ifndef BASE_TICK_H
#define BASE_TICK_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <time.h>

/* Between two ticks of a busy CPU; 0: not known. */
static inline uint64_t tick_ns(void)
{
	struct timespec each;

	return clock_getres(CLOCK_MONOTONIC_COARSE, &each) ? 0 : (uint64_t)each.tv_nsec;
}

/*
 * Waits of the calling thread end with the first tick after their time, where its CPU is busy; elsewhere up to a tick
 * late. False: as they did when it began. What it starts meanwhile begins with the same.
 */
static inline void tick_wait(bool ends_with_tick)
{
	uint64_t slack_ns = ends_with_tick ? tick_ns() : 0;

	prctl(PR_SET_TIMERSLACK, slack_ns, 0ul, 0ul, 0ul);
}

/* The calling thread takes no CPU when it wakes up, but has its turn. False: as threads usually do. */
static inline void tick_yield(bool yields)
{
	sched_setscheduler(0, yields ? SCHED_BATCH : SCHED_OTHER, &(struct sched_param){ 0 });
}

#endif
