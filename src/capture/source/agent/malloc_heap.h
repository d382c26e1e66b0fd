/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What malloc had in a process when its agent last looked: process counters "malloc in use" and "malloc free", of
 * which the latter is what it keeps resident.
 */
#ifndef CAPTURE_SOURCE_AGENT_MALLOC_HEAP_H
#define CAPTURE_SOURCE_AGENT_MALLOC_HEAP_H

#include "capture/decode/recorded.h"
#include "capture/source/source.h"

/* Puts what the agent has found since the last call. 0, or the error of the sink. */
int malloc_heap_sample(struct recorded *process, const struct target *target, struct sink *out, uint64_t now_ns,
		       struct err *err);

#endif
