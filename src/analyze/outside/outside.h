/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a program did while no model ran: samples of its threads (event/sample.h), gap by gap. A gap is the thread's
 * that ends it, because it runs the next inference or creates a session: what that thread did is why no model ran. The
 * time before its first sample, and behind its last, is that of the first thread of its process; before and behind that
 * one, of the first thread of the process that it was forked from, and so on. What that one did after the fork is not
 * why the child ran no model: it waits for it, say.
 *
 *	inference      |####|                                   |####|        a gap
 *	its thread          |ran |  waited for a lock       |ran|
 *	another one         | slept             | ran           |            told of other threads: nothing
 *
 * A gap that is long beside the time between samples is divided by its own samples; those that are shorter are so
 * together, each sample standing for its stretch. What no sample explains stays unexplained.
 */
#ifndef ANALYZE_OUTSIDE_OUTSIDE_H
#define ANALYZE_OUTSIDE_OUTSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/sample.h"

#define OUTSIDE_NONE UINT32_MAX

struct outside;

/* What a thread did, and before what. Texts and stacks are those of the stream; 0: none, or not known. */
struct outside_leaf {
	uint32_t process; /* as the caller numbers them */
	int32_t tid;
	uint32_t thread_name;
	uint32_t before; /* what the caller gave at the end of the gap */
	enum sample_state state;
	uint32_t call, object, stack;
	int32_t holder_tid;
	uint32_t holder_stack;
	double ns;
	uint64_t n;	   /* samples */
	double longest_ns; /* in one gap, before the same, in its state */
};

enum { OUTSIDE_FIRST_THREADS = 4 };

/* Who ends a gap. */
struct outside_owner {
	uint32_t process, before;
	int32_t tid;	    /* 0: not known */
	uint64_t halted_ns; /* of the gap, its process was halted */
	uint32_t halted;    /* text: EVENT_HALT_*, 0: it was not, or it is not known how */
	/* of its process, of the one that it was forked from, and so on; tid 0: none, or not known */
	struct outside_first {
		uint32_t process;
		int32_t tid;
		uint64_t fork_ns; /* when the process before it began; UINT64_MAX: there is none, or it is not known */
	} first[OUTSIDE_FIRST_THREADS];
};

struct outside *outside_new(void); /* NULL: out of memory */
void outside_free(struct outside *outside);

/* What a first thread of a process did is remembered, of as many as there is room for. */
void outside_remember(struct outside *outside, uint32_t process, int32_t tid);
/*
 * A sample: it is kept, and passes when all gaps that ended before it begins have ended. *from_ns: where it begins.
 * The number; OUTSIDE_NONE: out of memory.
 */
uint32_t outside_keep(struct outside *outside, uint32_t process, uint64_t time_ns, const struct event_sample *sample,
		      uint64_t *from_ns);
/* It passes; the number may come again. halted_ns: of its time, its process was halted. 0 or -ENOMEM. */
int outside_pass(struct outside *outside, uint32_t number, uint64_t halted_ns);
/* Of one that is kept: where it ends, and its process. */
uint64_t outside_ends(const struct outside *outside, uint32_t number, uint32_t *process);

/* No model runs from then on; at first none does. */
void outside_begin(struct outside *outside, uint64_t time_ns);
/* One does, or the recording is over. first_ns: where the recording begins. 0 or -ENOMEM. */
int outside_end(struct outside *outside, uint64_t first_ns, uint64_t time_ns, const struct outside_owner *owner);
/* Divides the short gaps. */
void outside_finish(struct outside *outside);

/* Those with most time first, after outside_finish; the rest of the gaps no sample explains. */
const struct outside_leaf *outside_leaves(const struct outside *outside, size_t *n);

#endif
