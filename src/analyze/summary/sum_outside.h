/* SPDX-License-Identifier: Apache-2.0 */
/* What threads did between inferences, of a summary in the making. What can fail returns 0 or -ENOMEM. */
#ifndef ANALYZE_SUMMARY_SUM_OUTSIDE_H
#define ANALYZE_SUMMARY_SUM_OUTSIDE_H

#include "analyze/summary/sum_in.h"

/* moment: when the sample begins; its `what` is MOMENT_STRETCH, or there is none. */
int sum_outside_sample(struct summary_maker *maker, struct track *track, const struct event *event,
		       struct moment *moment);
/* The same sample, if its thread waits for a lock: sum/sum_locks.c. */
int sum_locks_sample(struct summary_maker *maker, uint32_t process, const struct event_sample *sample);
/* A process was forked from another one. */
void sum_outside_forked(struct summary_maker *maker, uint32_t child, int64_t parent_pid);
int sum_outside_pass(struct summary_maker *maker, const struct moment *moment);
/* An inference (before: its bucket) or a creation (NONE) begins; the last one that ran has ended. */
int sum_outside_until(struct summary_maker *maker, uint64_t time_ns, uint32_t process, int64_t tid, uint32_t before);
void sum_outside_from(struct summary_maker *maker, uint32_t process, int64_t tid);
/* At the end: closes the last gap; then makes rows, once it is known how long no model ran. */
int sum_outside_finish(struct summary_maker *maker);
int sum_outside_make(struct summary_maker *maker, struct array *rows);

#endif
