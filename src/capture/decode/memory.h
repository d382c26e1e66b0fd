/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the allocators of a process hold: a counter of live bytes for each, and an instant when an arena grows. Values
 * that a program's threads give to counters of their own take the same way, for the same reason:
 *
 * A block may be taken by one thread and given back by another, and rings are read one after the other, so records are
 * gathered first and applied in the order of time, as in lanes.h. Sizes are known by the address: a block whose begin
 * was not recorded is freed unseen.
 */
#ifndef CAPTURE_DECODE_MEMORY_H
#define CAPTURE_DECODE_MEMORY_H

#include <stdbool.h>

#include "event/sink.h"

struct memory_allocator {
	uint32_t device, name; /* ids of texts */
	uint32_t session;      /* number in the process, 0: none or several */
	bool is_behind_arena;  /* what it gives is an arena's growth */
	bool is_known;
	uint32_t counter; /* track; 0: not defined yet */
	uint64_t live_bytes;
};

struct memory_event {
	uint64_t time_ns, order, address, bytes;
	uint32_t allocator; /* 0: the block is given back */
	uint32_t counter;   /* a track: not of memory at all, but a value for this counter */
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
	uint64_t n_unseen; /* blocks given back whose begin was not recorded */
};

/* The allocator of this id, made when new; NULL: the id makes no sense, or out of memory. Valid until the next call. */
struct memory_allocator *memory_allocator(struct memory *memory, uint32_t id);
/* Gathers one event; its order is set here. 0 or -ENOMEM. */
int memory_add(struct memory *memory, const struct memory_event *event);
/* Applies everything up to until_ns, in the order of time. 0, -ENOMEM, or the sink's error. */
int memory_put(struct memory *memory, struct sink *out, uint64_t until_ns, struct err *err);
void memory_done(struct memory *memory);

#endif
