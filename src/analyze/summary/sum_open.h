/* SPDX-License-Identifier: Apache-2.0 */
/* What did not end, and what was created before a fork. 0 or -ENOMEM. */
#ifndef ANALYZE_SUMMARY_SUM_OPEN_H
#define ANALYZE_SUMMARY_SUM_OPEN_H

#include "analyze/summary/sum_in.h"

/* An inference, or the creation of a session, without an end. */
int sum_open_run(struct summary_maker *maker, const struct run *run);
int sum_open_creation(struct summary_maker *maker, uint32_t process, const struct slice *slice);
/* The release of one that was created before a fork begins; and it is over. */
int sum_open_release(struct summary_maker *maker, uint32_t process, const struct session *session, int64_t tid);
void sum_open_released(struct summary_maker *maker, uint32_t process, int64_t number);
int sum_open_make(struct summary_maker *maker, struct end *end);
/* Who created sessions that a process has inherited. */
int sum_forked_make(struct summary_maker *maker, struct end *end);

#endif
