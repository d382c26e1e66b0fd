/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory that a process's runtimes hold: the living blocks, and sums of them for each session and device (an
 * account). Writes nothing (memory_tell does).
 *
 * One thread may allocate a block and another free it, but rings are read one after the other. So records are gathered
 * first and applied in the order of time, as in lanes.h. A block's size is found by its address: freeing a block whose
 * allocation was not recorded has no effect but is counted. Values of a program's own counters take the same path, for
 * the same reason.
 *
 * A region that an arena takes from the allocator behind it, and the first block in it, have the same address: blocks
 * behind arenas are kept apart.
 */
#ifndef CAPTURE_DECODE_MEMORY_H
#define CAPTURE_DECODE_MEMORY_H

#include <stdbool.h>

#include "base/slots.h"
#include "event/record.h"
#include "event/sink.h"

/* MEMORY_RECENT: inferences whose outputs may be in use: the last one's, and those that it was given as inputs */
enum { MEMORY_NO_ACCOUNT = UINT32_MAX, MEMORY_AT_PEAK = 8, MEMORY_RECENT = 4 };

struct memory_allocator {
	uint32_t device, name; /* ids of texts */
	uint32_t session;      /* number in the process, 0: none or several */
	bool is_behind_arena;  /* it provides memory to an arena: an allocation is the arena's growth */
	bool is_arena, is_known;
	uint32_t account; /* the last one used */
};

struct memory_event {
	uint64_t time_ns, order, address, bytes;
	uint32_t allocator; /* 0: unknown, of a block that is freed */
	uint32_t session;   /* of an allocation, 0: none or unknown */
	uint32_t node;	    /* operator that allocated, 0: none */
	uint32_t counter;   /* a track: the event is not an allocation but a value for this counter */
	uint8_t use;	    /* enum memory_use */
	bool is_free, is_reserve;
	/* the event is not an allocation but the release of `session`, or the end of an inference of it */
	bool is_release, is_run_end;
	double value;
};

struct memory_block {
	uint64_t address; /* 0: free slot; bit 0: behind an arena */
	uint64_t bytes;
	uint32_t account, node;
	uint32_t born; /* inferences of the account that had ended */
	uint8_t use;
};

/* What one operator holds. */
struct memory_node {
	uint64_t node; /* 0: free slot */
	uint64_t bytes, n;
};

struct memory_amount {
	uint64_t bytes, n; /* living blocks */
};

/* Values of a counter that were not written yet: the highest since then, and the last (memory_tell.c). */
struct memory_level {
	uint32_t track;
	bool has_changed;
	uint64_t high, high_ns, last, last_ns;
};

/* One session on one device. */
struct memory_account {
	uint32_t session, device;  /* session: number in the process, 0: none */
	bool has_changed;	   /* since it was last written */
	bool has_grown;		   /* beyond `peak`, which has yet to be taken */
	bool operators_have_grown; /* beyond theirs */
	bool has_counters;	   /* of its own */
	bool is_released;	   /* its session is */
	bool is_over;		   /* and nothing is left of it: the next new account takes its place */
	struct memory_state {
		struct memory_amount use[N_MEMORY_USES];
		uint64_t in_use, held, direct; /* held: behind arenas; direct: in use without an arena between */
	} now, at_release;
	struct memory_amount at_run_end;	    /* of operators and runs, when the last inference ended */
	struct memory_amount kept;		    /* the same without what was taken in the MEMORY_RECENT last ones */
	struct memory_amount recent[MEMORY_RECENT]; /* of what these took, that which is in use */
	uint64_t n_run_ends;
	uint64_t n_allocs, allocated, n_frees, n_growths, n_reserves;
	uint64_t held_peak;
	/* when most was in use */
	uint64_t peak;
	uint64_t use_at_peak[N_MEMORY_USES];
	/*
	 * When operators had most. That is another moment where the runtime plans the memory of an inference ahead and
	 * takes it as one block.
	 */
	uint64_t operators_peak;
	struct memory_node at_peak[MEMORY_AT_PEAK]; /* the largest first */
	uint32_t n_at_peak;			    /* of all, also those that have no place there */
	/* operators that hold something, or did */
	struct slots nodes;	       /* of struct memory_node, by node */
	struct memory_level levels[2]; /* in use; held by arenas */
	/* when it was last written, when with its peaks, and these peaks then (memory_tell.c) */
	uint64_t told_ns, told_all_ns, told_peak, told_operators_peak;
};

/* An arena's growth that is to be written. */
struct memory_growth {
	uint64_t time_ns, bytes;
	uint32_t allocator, session;
	bool is_reserve;
};

struct memory {
	uint32_t process_track, group;
	struct memory_allocator *allocator; /* by id */
	uint32_t n_allocators;
	struct memory_event *event; /* gathered, not yet applied */
	size_t n, capacity;
	uint64_t order;
	struct slots blocks; /* of struct memory_block, by address */
	struct memory_account *account;
	uint32_t n_accounts, accounts_capacity;
	struct memory_growth *growth;
	size_t n_growths, growths_capacity;
	uint32_t *shapes;	   /* of the inputs of each node, as last seen: ids of texts */
	uint32_t n_shapes, n_kept; /* n_kept: texts among them that are kept for this */
	uint64_t total;		   /* behind arenas, and in use without an arena between: of all accounts */
	struct memory_level level;
	uint32_t n_told;    /* accounts that have counters of their own */
	uint64_t n_unknown; /* blocks freed whose allocation was not recorded */
	uint64_t n_reused;  /* blocks allocated twice: that they were freed is not recorded */
};

/* The allocator of this id, created on first use; NULL: an invalid id, or out of memory. Valid until the next call. */
struct memory_allocator *memory_allocator(struct memory *memory, uint32_t id);
/* Remembers the shapes of a node's inputs. Of texts that are valid for a while, a few thousand are kept. */
void memory_shapes(struct memory *memory, struct names *names, uint32_t node, uint32_t shapes);
/* Gathers one event and sets its order. 0 or -ENOMEM. */
int memory_add(struct memory *memory, const struct memory_event *event);
/*
 * Sorts what was gathered by time, and applies it up to until_ns; values of counters go to `out`. 0, -ENOMEM, or the
 * sink's error.
 */
int memory_apply(struct memory *memory, struct sink *out, uint64_t until_ns, struct err *err);
void memory_done(struct memory *memory);

#endif
