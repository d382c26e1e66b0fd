/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread of the recorder that samples stacks. It keeps its own time, also while the recorder writes, and the rights
 * that the recorder gives up once it has begun. It shares one lock with the recorder's first thread, which never waits
 * for it but at the end.
 *
 *   first thread            lock            sampler
 *   follow ----------> processes --------->
 *                          <--- samples --- looks at each process
 *   take <------------ samples, texts
 */
#ifndef CAPTURE_STACKS_STACK_SAMPLER_H
#define CAPTURE_STACKS_STACK_SAMPLER_H

#include "base/err.h"
#include "event/sink.h"

/* What is followed: a process by its pid and start. */
struct stack_followed {
	int32_t pid;
	uint64_t start_ticks;
	uint32_t track, program; /* another program: another number */
};

struct stack_sampler;

/* hz: times a second, not 0. NULL and err. */
struct stack_sampler *stack_sampler_start(uint32_t hz, struct err *err);
/*
 * From now on these processes. False: not now, because it is at work. *n_sampled: how many samples there are by now;
 * those of processes that are no longer followed are among them.
 */
bool stack_sampler_follow(struct stack_sampler *sampler, const struct stack_followed *processes, size_t n,
			  uint64_t *n_sampled);
/* Puts what it has sampled; is_last: waits for it, and it looks no more. 0, or the sink's error. */
int stack_sampler_take(struct stack_sampler *sampler, struct sink *out, bool is_last, struct err *err);
/* How many have been put: the others wait for the names of their frames, which may take seconds on a busy machine. */
uint64_t stack_sampler_taken(const struct stack_sampler *sampler);
/* Samples of later times are left out when they are taken. */
void stack_sampler_end_at(struct stack_sampler *sampler, uint64_t time_ns);
/* Ends the thread. NULL: nothing. */
void stack_sampler_stop(struct stack_sampler *sampler);

#endif
