/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The languages whose frames can be read in a process, and those of whose frames nothing is read: then threads have
 * their frames of machine code (stack_jit.c), and a recording says why there are no others.
 */
#ifndef CAPTURE_STACKS_STACK_LANGUAGE_H
#define CAPTURE_STACKS_STACK_LANGUAGE_H

#include "capture/stacks/stack_python.h"
#include "capture/stacks/stack_v8.h"

/* A file that may be an interpreter, and what it is, so that each is looked at once in a recording. Zeroed: none. */
struct language_files {
	struct array file; /* private */
};

/* Of one process. Zeroed: not looked for yet. */
struct stack_languages {
	struct stack_python python;
	struct stack_v8 v8;
	const char *other; /* a language of whose frames nothing is read; NULL: none */
};

/* Looks for interpreters among the modules of the process. */
void stack_languages_find(struct stack_languages *languages, struct language_files *files, struct stack_memory *memory,
			  pid_t pid);
void language_files_done(struct language_files *files);

/* The language that a module with this path runs, for people; NULL: none. */
const char *stack_language_of(const char *path);

#endif
