/* SPDX-License-Identifier: Apache-2.0 */
/* Notes and counters of the memory that a runtime's allocators give, and the keys of their arguments. */
#ifndef EVENT_MEMORY_NOTE_H
#define EVENT_MEMORY_NOTE_H

/*
 * The sums of what a runtime's allocators gave to a session, on one device: device, all of EVENT_MEMORY_KEYS,
 * allocations, allocated, count, lost [session, model, state]. Without session: to none, or it is not known to which.
 * count: blocks given back that were taken before the recording; lost: blocks of which it is not recorded that they
 * were given back. state: EVENT_STATE_RELEASED, that the session is: then what is in use or held is of that moment. The
 * last one of each session and device holds
 */
#define EVENT_NOTE_MEMORY "memory"
#define EVENT_STATE_RELEASED "released"

/*
 * What was in use when most was: device, peak_bytes, bytes, state (for what, EVENT_USE_*) [session]. Or what operators
 * had when they had most, which may be another moment: device, peak_bytes, bytes, text (the operator), count (its
 * blocks) [session, op_type, shapes (the last ones of its inputs)]. Those hold whose peak_bytes is the peak_bytes, or
 * the operators_peak_bytes, of the last memory note
 */
#define EVENT_NOTE_AT_PEAK "memory at peak"
#define EVENT_USE_WEIGHTS "weights"
#define EVENT_USE_PACKED "packed weights"
#define EVENT_USE_CREATION "session creation"
#define EVENT_USE_OPERATORS "operators"
#define EVENT_USE_RUNS "inferences" /* outside of their operators */
#define EVENT_USE_OTHER "other calls"

/* The group of a process's counters of that memory; of them the one of all sessions and devices together. */
#define EVENT_MEMORY_GROUP "runtime memory"
#define EVENT_MEMORY_TOTAL "taken by allocators"
/* Counters of a process: what malloc has given out, and what of its free memory is resident. */
#define EVENT_MALLOC_IN_USE "malloc in use"
#define EVENT_MALLOC_FREE "malloc free"

/* Rows of EVENT_KEYS (event.h): rows are only ever added there, never here. */
#define EVENT_MEMORY_KEYS(F) \
	F(IN_USE, "in_use_bytes")		  /* taken from allocators and not given back */ \
	F(PEAK, "peak_bytes")			  /* the most that was in use */ \
	F(OPERATORS_PEAK, "operators_peak_bytes") /* the most that operators had in use */ \
	F(OPERATORS, "operators")		  /* how many had something then */ \
	F(HELD, "held_bytes")			  /* that arenas have taken from the allocators behind them */ \
	F(HELD_PEAK, "held_peak_bytes")		  /* the most of that */ \
	F(DIRECT, "direct_bytes")		  /* in use, and not from an arena */ \
	F(WEIGHTS, "weights_bytes")		  /* in use, and taken when weights were put in place, */ \
	F(PACKED, "packed_bytes")		  /* or when operators packed weights, */ \
	F(OF_CREATION, "creation_bytes")	  /* or in the rest of session creation, */ \
	F(OF_RUNS, "run_bytes")			  /* or in inferences, */ \
	F(BLOCKS_OF_RUNS, "run_blocks")		  /* in so many blocks, */ \
	F(OF_OTHERS, "other_bytes")		  /* or in other calls */ \
	F(FREES, "frees")			  /* blocks given back */ \
	F(GROWTHS, "growths")			  /* of arenas, */ \
	F(LEFT, "left_bytes")			  /* in use after the session was released */ \
	F(RUN_ENDS, "run_ends")			  /* inferences that ended, */ \
	F(AT_RUN_END, "run_end_bytes")	       /* what inferences had taken and was in use when the last one ended, */ \
	F(BLOCKS_AT_RUN_END, "run_end_blocks") /* in so many blocks */ \
	F(RESERVES, "reserves")		       /* and regions that they took for single blocks */

#endif
