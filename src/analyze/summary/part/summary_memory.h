/* SPDX-License-Identifier: Apache-2.0 */
/* The memory that a runtime's allocators gave to sessions (event/memory_note.h). Integers not known are -1. */
#ifndef ANALYZE_SUMMARY_SUMMARY_MEMORY_H
#define ANALYZE_SUMMARY_SUMMARY_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

enum { SUMMARY_USES = 6, SUMMARY_HOLDERS = 8 };

/* What was in use at a peak: for a use, or by an operator. */
struct summary_holder {
	uint32_t name; /* EVENT_USE_*, or the operator's */
	uint32_t op_type, shapes;
	int64_t bytes, n; /* n: blocks */
};

/* One session on one device, when the recording ended, or when the session was released. */
struct summary_memory {
	uint32_t process, model; /* SUMMARY_NONE: not known */
	uint32_t device, name;	 /* name: the model's, 0: not known */
	int64_t session;	 /* number in its process; 0: calls of no session, or not known of which */
	bool is_released;
	int64_t n_runs; /* inferences; -1: not known */
	int64_t in_use, peak;
	int64_t held, held_peak; /* by arenas, of the allocators behind them */
	int64_t direct;		 /* in use, and not from an arena: held + direct is what was taken in all */
	/* in_use is the sum of these: */
	int64_t weights, packed, creation, runs, others;
	int64_t n_run_blocks;		     /* blocks of runs */
	int64_t left;			     /* in use at the end, after it was released */
	int64_t n_run_ends;		     /* inferences that ended */
	int64_t at_run_end, n_at_run_end;    /* of runs, when the last one ended; blocks */
	int64_t kept, n_kept;		     /* the same, but for what the four last ones had taken */
	int64_t operators_peak, n_operators; /* the most that operators had; how many of them */
	int64_t n_allocs, allocated, n_frees, n_growths, n_reserves;
	/* of its process: blocks given back that were taken before the recording; of which it is not recorded that they
	 * were given back */
	int64_t n_unknown, n_reused;
	struct summary_holder use[SUMMARY_USES];       /* at the peak; the largest first, n_uses of them */
	struct summary_holder holder[SUMMARY_HOLDERS]; /* of operators_peak; the same */
	uint32_t n_uses, n_holders;
	int64_t uses_at, holders_at; /* the peaks that these are of */
};

/*
 * A process's resident memory, and of that moment, when it was last looked at, and when most was resident: how much its
 * runtimes' allocators had taken, what malloc had in use, and what it kept free and resident. NAN: not known.
 */
struct summary_resident {
	double last, taken, in_use, kept;
	double most, taken_at_most, in_use_at_most, kept_at_most;
};

#define SUMMARY_RESIDENT_UNKNOWN { NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN }

#endif
