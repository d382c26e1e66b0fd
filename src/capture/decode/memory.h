/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory held by the allocators of a process: a counter of live bytes for each, and an instant when an arena grows.
 * Values of a program's own counters take the same path, for the same reason:
 *
 * One thread may allocate a block and another free it, but rings are read one after the other. So records are gathered
 * first and applied in the order of time, as in lanes.h. A block's size is found by its address: freeing a block whose
 * allocation was not recorded has no effect.
 */
#ifndef CAPTURE_DECODE_MEMORY_H
#define CAPTURE_DECODE_MEMORY_H

#include <stdbool.h>

#include "event/sink.h"

struct memory_allocator {
	uint32_t device, name; /* ids of texts */
	uint32_t session;      /* number in the process, 0: none or several */
	bool is_behind_arena;  /* it provides memory to an arena: an allocation is the arena's growth */
	bool is_known;
	uint32_t counter; /* track; 0: not defined yet */
	uint64_t live_bytes;
};

struct memory_event {
	uint64_t time_ns, order, address, bytes;
	uint32_t allocator; /* 0: the block is freed */
	uint32_t counter;   /* a track: the event is not an allocation but a value for this counter */
	double value;
};

struct memory_block {
	uint64_t address; /* 0: free slot */
	uint64_t bytes;
	uint32_t allocator;
};

struct memory {
	uint32_t process_track, group;
	struct memory_allocator *allocator; /* by id */
	uint32_t n_allocators;
	struct memory_event *event; /* gathered, not yet applied */
	size_t n, capacity;
	uint64_t order;
	struct memory_block *block; /* open addressing by address */
	size_t n_blocks, n_slots;
	uint64_t n_unseen; /* freed blocks whose allocation was not recorded */
};

/* The allocator of this id, created on first use; NULL: an invalid id, or out of memory. Valid until the next call. */
struct memory_allocator *memory_allocator(struct memory *memory, uint32_t id);
/* Gathers one event and sets its order. 0 or -ENOMEM. */
int memory_add(struct memory *memory, const struct memory_event *event);
/* Applies all events up to until_ns, in the order of time. 0, -ENOMEM, or the sink's error. */
int memory_put(struct memory *memory, struct sink *out, uint64_t until_ns, struct err *err);
void memory_done(struct memory *memory);

#endif
