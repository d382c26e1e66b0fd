/* SPDX-License-Identifier: Apache-2.0 */
/* One thread of a process that is sampled, for stack_process.c; what it does now, by stack_state.c. */
#ifndef CAPTURE_STACKS_STACK_THREAD_H
#define CAPTURE_STACKS_STACK_THREAD_H

#include <string.h>

#include "capture/proc/proc.h"
#include "capture/stacks/stack_call.h"
#include "capture/stacks/stack_image.h"
#include "capture/stacks/stack_moment.h"
#include "capture/stacks/stack_process.h"

struct stack_thread {
	int32_t tid, inner_tid; /* here, and in the process's own namespace */
	uint32_t name;
	uint64_t named_ns, found_ns;
	bool is_ours; /* the agent's own */
	struct proc_file sched, call;
	bool is_kept; /* they stay open */
	bool has_base, is_listed;
	uint64_t ran_ns, waited_ns, n_turns;  /* as of the last look, */
	uint32_t turns;			      /* stack_moments_turns() right before it; 0: not known */
	uint64_t more_ran_ns, more_waited_ns; /* that no sample has yet */
	uint64_t from_ns, seen_ns;	      /* what is pending begins; the last look */
	bool is_pending;
	bool is_early;	   /* its stack was read before Python was found */
	uint64_t tried_ns; /* when its stack was read, */
	unsigned n_tries;  /* and how often while it stood still */
	struct event_sample now;
	struct stack_memory_used used; /* of the process's memory, when its stack was read */
	struct stack_moments moments;  /* of it while it runs, */
	struct {
		uint32_t stack, base; /* base: of it, the frames of Python */
		uint8_t flags;
		uint64_t time_ns, cpu_ns; /* cpu_ns: what the thread had run by then */
	} ran;				  /* and the newest */
};

static inline struct stack_thread *stack_thread_at(const struct stack_process *process, size_t i)
{
	return (struct stack_thread *)process->thread.data + i;
}

/* Whether it is known without a system call when it gets a CPU. */
static inline bool stack_thread_counts(const struct stack_thread *thread, const struct stack_shared *shared)
{
	return shared->counts_turns > 0 && thread->moments.slot;
}

/* Reads one of its files below /proc/PID/task/TID. Bytes, or -errno. */
ssize_t stack_thread_read(struct stack_thread *thread, struct proc_file *file, pid_t pid, const char *name, char *to,
			  size_t size);
/*
 * Looks for interpreters, which may be loaded late; what is known of the process's memory is forgotten when it runs
 * another program. has_run: since the last round.
 */
void stack_program_find(struct stack_process *process, const struct stack_round *round, bool has_run);
/* What the thread does: all of `now` but its times. has_run: it ran since the last look. */
void stack_state_read(struct stack_process *process, struct stack_thread *thread, const struct stack_round *round,
		      bool has_run);

/*
 * The stack of machine code of a thread, alone or below the frames of its Python code: then it has what Python calls,
 * without the interpreter, and without the C library's part of a wait of the interpreter itself.
 */
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

/*
 * From the innermost function of a thread outwards: by what compilers left of each function (.eh_frame), where that is
 * missing by frame pointers. Of a thread that is blocked, the kernel gives the stack pointer and the address alone.
 */
struct stack_address {
	uint32_t image; /* 0: in no file */
	uint32_t frame; /* of JavaScript or Java: its number; 0: machine code */
	bool is_glue;	/* of an interpreter, and nothing to show */
	bool is_shown;	/* a function of a program, not of V8, in code that it makes */
	uint64_t offset;
};

struct stack_unwind {
	struct stack_maps *maps;
	struct stack_images *images;
	struct names *names;
	struct stack_memory *memory;	   /* begun with the process */
	const struct stack_moment *moment; /* NULL: all is in the process's memory */
	uint32_t stop;			   /* an image at which it ends; 0: none */
	struct stack_v8 *v8;		   /* NULL: there is none */
	struct stack_java *java;	   /* the same */
	uint32_t v8_image, java_image;	   /* and their modules */
	bool is_cut;			   /* set: there are more frames */
	bool is_torn;			   /* set: a frame of these changed meanwhile */
	uint64_t end;			   /* set: the stack pointer where it ended */
};

/* Innermost first; how many. */
size_t stack_unwind(struct stack_unwind *unwind, const struct stack_registers *from, struct stack_address *to,
		    size_t max);
/* Memory of the thread's process, as of the moment where that has it. */
static inline bool stack_unwind_read(const struct stack_unwind *unwind, uint64_t from, void *to, size_t size)
{
	const struct stack_moment *moment = unwind->moment;
	uint64_t at = moment ? from - moment->registers.value[STACK_SP] : 0;

	if (moment && at < moment->size && moment->size - at >= size) {
		memcpy(to, (const char *)moment->stack + at, size);
		return true;
	}
	return stack_memory_read(unwind->memory, from, to, size);
}

#endif
