/* SPDX-License-Identifier: Apache-2.0 */
/* Stands before prctl and syscall, by which a program restricts what it may do from then on. */
#ifndef CAPTURE_AGENT_SANDBOX_H
#define CAPTURE_AGENT_SANDBOX_H

#include <stdbool.h>

#include "runtime/find/image.h"

/*
 * Called once, when the agent is loaded. departs: called before the program sets a filter that can kill. False: filters
 * that nobody knows apply already, so nothing may be done.
 */
bool sandbox_start(void (*departs)(void));

/* Whether the agent may start in the program that comes next. Callable in a child of vfork. */
bool sandbox_lets_next_start(void);

/*
 * What a program gets that has looked up this function of the C library by name; NULL: what it has found. So that a
 * look-up in the C library alone leads here, too.
 */
void *sandbox_instead_of(const char *name, const void *found);

/*
 * The agent was brought into a running program, so what this module imports was bound before: leads its calls here.
 * Returns whether there was anything to lead here; hooks_out undoes that. The image must stay in place.
 */
bool sandbox_watch(const struct image *image);

#endif
