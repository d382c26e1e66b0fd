/* SPDX-License-Identifier: Apache-2.0 */
/* The agent in a program that was running before it came, and in that program's children of fork (injected.c). */
#ifndef CAPTURE_AGENT_INJECTED_H
#define CAPTURE_AGENT_INJECTED_H

#include <stdbool.h>

/* In a child of fork: whether the recorder of its parent is gone; if so the functions have been put back. */
bool injected_is_over(void);
/* The same, for after an inference: asks at most ten times a second. */
void injected_look(void);
/* The agent leaves this child of fork; it may be brought in again. */
void injected_leave_child(void);

#endif
