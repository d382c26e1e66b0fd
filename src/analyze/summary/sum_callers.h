/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that create sessions or run inferences, of a summary in the making, and how they spend their time. A server
 * may start a thread for each request: only so many are kept one by one. Of more, those that called longest ago are
 * folded into their kind. What can fail returns 0 or -ENOMEM.
 */
#ifndef ANALYZE_SUMMARY_SUM_CALLERS_H
#define ANALYZE_SUMMARY_SUM_CALLERS_H

#include "analyze/store/keys.h"
#include "analyze/summary/summary.h"
#include "base/array.h"

struct end;
struct moment;
struct run;
struct summary_maker;

struct callers {
	struct array caller; /* struct caller: by number in keys */
	struct array kind;   /* struct summary_callers: sums of those that were folded; by number in kind_keys */
	struct keys keys, kind_keys;
	uint64_t n_used;
	bool is_unknown; /* something was called by a thread that is not known: nothing is told of any */
};

/* An inference begins, at its time; it is over; its thread is `run->caller` meanwhile. */
int sum_callers_run(struct summary_maker *maker, struct run *run);
void sum_callers_ran(struct summary_maker *maker, const struct run *run, uint64_t end_ns);
/* The same of a creation: index is the process, value the thread. */
int sum_callers_creation(struct summary_maker *maker, const struct moment *moment, uint64_t time_ns);

/* At the end: rows with what was counted; then, once it is known what was left out on request, their sums. */
int sum_callers_make(struct summary_maker *maker, struct end *end);
void sum_callers_finish(struct summary *to);
void sum_callers_done(struct callers *callers);

#endif
