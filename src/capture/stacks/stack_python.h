/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Python stacks of another process: knows which of its interpreters' threads is which of the kernel's, and walks
 * their frames. Stops nothing and takes no lock: a stack that changes meanwhile is torn, and left out.
 *
 * What is known of a code object is kept by its address, and taken again only if the object still has the same parts. A
 * frame of a known code object and instruction costs no system call of its own.
 */
#ifndef CAPTURE_STACKS_STACK_PYTHON_H
#define CAPTURE_STACKS_STACK_PYTHON_H

#include "base/array.h"
#include "capture/stacks/stack_call.h"
#include "event/names.h"
#include "runtime/python/cpython.h"

enum { STACK_MAX_FRAMES = 500 };

/* Of one process. Zeroed: not looked for yet. */
struct stack_python {
	bool is_refused; /* the kernel does not let us look */
	bool is_there;
	bool is_lost; /* a thread is not where it was listed: it has ended, or another program runs */
	char why[96]; /* it is there, and cannot be read; "": it can */
	struct cpython python;
	struct array thread;	     /* struct python_thread, of the last listing */
	uint64_t listed_ns, good_ns; /* when, and how long the list is good; a new thread makes it shorter */
	struct stack_code *code;     /* private: tables of a power of two */
	struct stack_line *line;
	struct stack_memory *memory; /* borrowed */
	/* of the last walk: the innermost frame, and what it executes, since 3.11 */
	uint64_t innermost, instruction;
};

struct python_thread {
	int32_t tid; /* in the process's own namespace */
	struct cpython_thread is;
};

/* The Python thread with this number in the process's namespace; NULL: it runs no Python. */
const struct python_thread *stack_python_thread(struct stack_python *python, int32_t tid, uint64_t now_ns);
/* Whether a futex is one of the interpreter's own: a thread that sleeps there waits for the GIL. */
bool stack_python_is_gil(const struct stack_python *python, uint64_t futex);
/* Who has the GIL that this thread wants; NULL: not known. */
const struct python_thread *stack_python_holder(struct stack_python *python, const struct python_thread *thread);
/* The stack of a thread; *flags: SAMPLE_TORN, SAMPLE_CUT. 0: none. */
uint32_t stack_python_walk(struct stack_python *python, const struct python_thread *thread, struct names *names,
			   uint8_t *flags);

void stack_python_done(struct stack_python *python);

#endif
