/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which line of the program asked for what begins on this thread: the innermost frame that does not belong to a
 * runtime. A text of the dictionary for each such line, "function (file:line)", written once. Where no Python runs, the
 * address that called the runtime's entry, "module+0x1234": the recorder reads the module.
 *
 * A thread's frames stand still while it is in a hook, so they are read by plain loads. What a code object was found to
 * be is kept per thread, by its address and by what distinguishes it from one that gets the same address later.
 */
#ifndef CAPTURE_AGENT_CALLER_H
#define CAPTURE_AGENT_CALLER_H

#include "capture/agent/agent.h"
#include "runtime/find/image.h"

enum { CALLER_BITS = 24 }; /* ids are below this, so that a record has room for one beside others */

/* Under the loader's lock: looks whether a module is an interpreter. */
void caller_look(const struct image *image);
/* The text; 0: not known. Not under the agent's lock; changes no errno. */
uint32_t caller_of(struct thread *thread);

/* An entry of a runtime is called from this address, which its hook's caller is. For the next caller_of. */
static inline void caller_came_from(const void *address)
{
	struct thread *thread = agent_thread();

	if (thread)
		thread->called_from = (uint64_t)(uintptr_t)address;
}

/*
 * The one of the calling thread's two innermost frames that runs this code object of Python, and the offset of its
 * instruction; 0: none of them does, or they cannot be read. Called with the GIL.
 */
uint64_t caller_frame(uint64_t code, int32_t *offset);

/* What one thread hands over to another, which runs the inference: a text, as long as its dictionary lives. 0: none. */
static inline uint64_t caller_asks(struct thread *thread)
{
	uint32_t caller = caller_of(thread);

	return caller ? (uint64_t)thread->generation << 32 | caller : 0;
}

#endif
