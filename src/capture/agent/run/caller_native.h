/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which code of a native program asked a runtime whose hooks lie deep inside: the stack of this thread, walked by
 * .eh_frame as unwinders do, up to the first frame that is in no library of a runtime.
 *
 * What a module says of an address is read once for each thread. Memory of the stack is read by loads where it was
 * found to be memory before, by a system call that fails otherwise.
 */
#ifndef CAPTURE_AGENT_CALLER_NATIVE_H
#define CAPTURE_AGENT_CALLER_NATIVE_H

#include "capture/agent/agent.h"

/* The address to which that code's call returns; 0: not known, as in code that is made at run time. */
uint64_t caller_native_find(struct thread *thread);

#endif
