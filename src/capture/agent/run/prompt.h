/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether the prompt of a plain loop begins as an earlier one of its session did. Tokens are read so that memory of a
 * device does no harm, and compared as hashes (prefix.h). Fewer than a block of them are not looked at, such as those
 * of a step.
 */
#ifndef CAPTURE_AGENT_PROMPT_H
#define CAPTURE_AGENT_PROMPT_H

#include "capture/agent/run/inference.h"

/* The elements of a tensor that may be tokens, one row of integers. */
struct prompt_row {
	uintptr_t data;
	size_t size, n; /* size: of each, in bytes; n 0: it is none, or too short */
};

enum { PROMPT_ROWS = 4 /* that are worth a look */ };

struct prompt_row prompt_row_of(uintptr_t data, const struct shape *shape);
/* After inference_tell: tells it of tokens. Any thread; errno stays. */
void prompt_tell(struct thread *thread, const struct open_run *run, struct prompt_row tokens);
/* The first of several rows whose names are not known that holds neither a mask nor positions; n: there is none. */
size_t prompt_first_of(const struct prompt_row *rows, size_t n);
/* prompt_tell of that one. */
void prompt_tell_first(struct thread *thread, const struct open_run *run, const struct prompt_row *rows, size_t n);

#endif
