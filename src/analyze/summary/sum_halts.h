/* SPDX-License-Identifier: Apache-2.0 */
/* Halts of processes, and what they hit. What can fail returns 0 or -ENOMEM. */
#ifndef ANALYZE_SUMMARY_SUM_HALTS_H
#define ANALYZE_SUMMARY_SUM_HALTS_H

#include "analyze/summary/sum_in.h"

int sum_halts_begin(struct summary_maker *maker, struct track *track, const struct event *event);
void sum_halts_end(struct summary_maker *maker, struct track *track, uint64_t end_ns, const struct event *event);
/* An inference of the process was halted. */
int sum_halts_run(struct summary_maker *maker, const struct run *run);
/* What a slow one's halts come to. */
void sum_halts_put(const struct process *process, struct summary_slow *to);
int sum_halts_make(struct summary_maker *maker, struct end *end);
void sum_halts_done(struct summary_maker *maker);

static inline bool sum_halts_hit(const struct summary_maker *maker, uint32_t process, uint64_t begin_ns,
				 uint64_t end_ns)
{
	return end_ns != STORE_OPEN && halts_hit(&process_at(maker, process)->halts, begin_ns, end_ns);
}

#endif
