/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Languages of whose frames nothing is read: threads have their frames of machine code (stack_jit.h), and a recording
 * says why there are no others.
 */
#ifndef CAPTURE_STACKS_STACK_LANGUAGE_H
#define CAPTURE_STACKS_STACK_LANGUAGE_H

/* The language that a module with this path runs, for people; NULL: none. */
const char *stack_language_of(const char *path);

#endif
