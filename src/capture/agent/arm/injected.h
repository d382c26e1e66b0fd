/* SPDX-License-Identifier: Apache-2.0 */
/* The agent in a program that was already running, and in that program's children of fork (injected.c). */
#ifndef CAPTURE_AGENT_INJECTED_H
#define CAPTURE_AGENT_INJECTED_H

#include <stdbool.h>

/* In a child of fork: whether the recorder of its parent is gone; the functions have then been restored. */
bool injected_is_over(void);
/* The same, to be called after an inference: checks at most ten times a second. */
void injected_look(void);
/* The agent leaves this child of fork; it may be injected again. */
void injected_leave_child(void);

/*
 * The program is about to forbid, by death, what the agent's thread does: takes the hooks out and waits until the
 * thread has ended, for two seconds at most. Does nothing where there is no such thread.
 */
void injected_depart(void);

#endif
