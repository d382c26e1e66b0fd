/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records of what a device did, beside those of event/record.h. Times are CLOCK_MONOTONIC in nanoseconds, not ticks:
 * the agent converts them from the clock of the device's library, and says how well. They come late, in no order, and
 * in the ring of any thread; what belongs together has the same correlation.
 */
#ifndef EVENT_DEVICE_RECORD_H
#define EVENT_DEVICE_RECORD_H

#include "event/generator_call.h"

enum device_record {
	/* Right before RECORD_DEVICE_WORK of the same run. value: bytes, number of a graph, or of a kernel
	 * device_block; time: of a kernel device_grid; id: bytes of shared memory; text: device << 24 | context */
	RECORD_DEVICE_MORE = RECORD_GENERATOR_CALL + 1,
	/* time..value, both 0: not known; id: stream, run: correlation, text: a kernel's name, flags: enum
	 * device_work_kind, more: enum device_direction */
	RECORD_DEVICE_WORK,
	/* A call of the program. time..value, id: thread, run: correlation, text: name, more: enum device_call_kind;
	 * FLAG_FAILED */
	RECORD_DEVICE_CALL,
	/* Time that the driver or the library took for itself. time..value, text: what for, id: of this thread; 0: not
	 * known */
	RECORD_DEVICE_OVERHEAD,
	/* value: records were dropped, id: of this stream, text: device << 24 | context, SEGMENT_NO_STREAM: unknown */
	RECORD_DEVICE_DROPPED,
	/* flags: enum device_state. DEVICE_FLUSHED: what was complete at `time` has been told; value: largest error of
	 * the conversion of times, id: records of kinds that are not read, run: work without times, text: how often the
	 * library's clock was set; since the begin; more: enum device_library */
	RECORD_DEVICE_STATE,
	/* A node of a graph, by its number: value. flags: enum device_node_fact. DEVICE_NODE_MADE: at `time`, by the
	 * thread id; DEVICE_NODE_CLONED: from the node of number `time`; DEVICE_NODE_OF_WORK: that of the work whose
	 * RECORD_DEVICE_MORE comes next, of the same run */
	RECORD_DEVICE_NODE,
};

enum device_node_fact { DEVICE_NODE_MADE = 1, DEVICE_NODE_CLONED, DEVICE_NODE_OF_WORK };

#define SEGMENT_NO_STREAM UINT32_MAX
/* A stream of ROCm's: copies, of which it does not tell the queue. */
#define SEGMENT_COPY_STREAM (UINT32_MAX - 1)

/* Who tells; also how its calls and lines are called. */
enum device_library { DEVICE_OF_CUDA, DEVICE_OF_ROCM, DEVICE_OF_LEVEL_ZERO, N_DEVICE_LIBRARIES };

enum device_state { DEVICE_BEGUN, DEVICE_FLUSHED, DEVICE_ENDED };

enum device_work_kind { DEVICE_KERNEL = 1, DEVICE_COPY, DEVICE_SET, DEVICE_GRAPH, N_DEVICE_WORKS };

/* As CUPTI numbers them. */
enum device_direction {
	DEVICE_TO = 1,
	DEVICE_FROM = 2,
	DEVICE_INSIDE = 8,
	DEVICE_HOST = 9,
	DEVICE_BETWEEN = 10,
};

enum device_call_kind { CALL_LAUNCH = 1, CALL_COPY, CALL_SET, CALL_GRAPH, CALL_WAIT, CALL_MEMORY, N_DEVICE_CALLS };

/* x in 31 bits, y and z in 16: as large as they may be. */
static inline uint64_t device_grid(uint32_t x, uint32_t y, uint32_t z)
{
	return (uint64_t)(x & 0x7fffffff) << 32 | (uint64_t)(y & 0xffff) << 16 | (z & 0xffff);
}

/* Each in 16 bits, with the registers of a thread. */
static inline uint64_t device_block(uint32_t x, uint32_t y, uint32_t z, uint32_t registers)
{
	return (uint64_t)(x & 0xffff) << 48 | (uint64_t)(y & 0xffff) << 32 | (uint64_t)(z & 0xffff) << 16 |
	       (registers & 0xffff);
}

#endif
