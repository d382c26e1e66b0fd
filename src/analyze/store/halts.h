/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When a process was halted: stopped by a signal, held by a tracer, or frozen with its cgroup. An operator that ran
 * when its process was seen halted was not slow by itself: figures of operators leave it out, and count it.
 */
#ifndef ANALYZE_STORE_HALTS_H
#define ANALYZE_STORE_HALTS_H

#include <stdbool.h>

#include "analyze/store/store.h"
#include "base/array.h"

struct halt {
	uint64_t begin_ns, end_ns;  /* seen halted at first, at last; STORE_OPEN: to the end */
	uint64_t from_ns, until_ns; /* seen running before, after; 0, STORE_OPEN: not known */
	uint32_t what, who;	    /* EVENT_HALT_*; a tracer's name, 0: none, or not known */
	uint32_t track;
};

/* Of one process. Zeroed: none. */
struct halts {
	struct array row; /* struct halt, in the order in which they were put */
	uint64_t last_ns; /* the last begin */
};

/* -ENOMEM. The halt ends later; of one that comes after too many, nothing is kept. */
int halts_begin(struct halts *halts, const struct halt *halt);
void halts_end(struct halts *halts, uint32_t track, uint64_t end_ns, uint64_t until_ns);
/* Did one begin in this stretch? Then whatever ran in all of it was halted. */
bool halts_hit_more(const struct halts *halts, uint64_t begin_ns, uint64_t end_ns);
/* The parts of them that lie in this stretch; *most_ns: with the time in which it may have been halted. */
uint64_t halts_within(const struct halts *halts, uint64_t begin_ns, uint64_t end_ns, uint64_t *most_ns);
/* The one that has most of this stretch; NULL: none touches it. */
const struct halt *halts_longest(const struct halts *halts, uint64_t begin_ns, uint64_t end_ns);
void halts_done(struct halts *halts);

static inline bool halts_hit(const struct halts *halts, uint64_t begin_ns, uint64_t end_ns)
{
	return begin_ns <= halts->last_ns && halts->row.n && halts_hit_more(halts, begin_ns, end_ns);
}

#endif
