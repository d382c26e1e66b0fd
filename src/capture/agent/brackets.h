/* SPDX-License-Identifier: Apache-2.0 */
/* What hooks have begun on a thread and an exception would end: bracket.c. */
#ifndef CAPTURE_AGENT_BRACKETS_H
#define CAPTURE_AGENT_BRACKETS_H

#include <stdint.h>

enum { MAX_BRACKETS = 64 };

struct thread;
struct bracket;
/* An exception leaves the frame; message: text id, 0: not known. */
typedef void bracket_left(struct thread *thread, const struct bracket *bracket, uint32_t message);

struct bracket {
	uintptr_t frame; /* of the hook */
	bracket_left *left;
	uint32_t level; /* by event: how many were open before */
	uint8_t event;	/* enum runtime_event */
};

struct brackets {
	uint32_t n;
	struct bracket at[MAX_BRACKETS];
};

#endif
