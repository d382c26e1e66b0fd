/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CPU time of the threads that the runtime has made for its pools, as the agent reports them: process counters "pool
 * threads" (how many, when that changes) and "cpu of pool threads" (percent of one core, all together).
 */
#ifndef CAPTURE_SOURCE_AGENT_POOL_CPU_H
#define CAPTURE_SOURCE_AGENT_POOL_CPU_H

#include "capture/decode/recorded.h"
#include "capture/source/source.h"

/* Samples a process when it is due. 0, or the error of the sink. */
int pool_cpu_sample(struct recorded *process, const struct target *target, struct sink *out, uint64_t now_ns,
		    struct err *err);

#endif
