/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stack of machine code of a thread, alone or below the frames of its Python code: then it has what Python calls,
 * without the interpreter, and without the C library's part of a wait of the interpreter itself.
 */
#ifndef CAPTURE_STACKS_STACK_NATIVE_H
#define CAPTURE_STACKS_STACK_NATIVE_H

#include "capture/stacks/stack_thread.h"

/* The stack of a thread that is blocked in a call; base: of its Python code, 0: it runs none. */
uint32_t stack_native_blocked(struct stack_process *process, const struct stack_round *round,
			      const struct stack_call *call, uint32_t base, uint8_t *flags);
/* Begins to count how often a thread gets a CPU. */
void stack_native_count(struct stack_process *process, struct stack_thread *thread, const struct stack_round *round);
/* Begins to look at a thread that runs. */
void stack_native_watch(struct stack_process *process, struct stack_thread *thread, const struct stack_round *round);
/* Takes the newest moment of a thread that has run: thread->ran. is_now: right after it. */
void stack_native_take(struct stack_process *process, struct stack_thread *thread, const struct stack_round *round,
		       bool is_now);
void stack_native_unwatch(struct stack_thread *thread, struct stack_shared *shared);

#endif
