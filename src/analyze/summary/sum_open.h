/* SPDX-License-Identifier: Apache-2.0 */
/* What did not end, and what was created before a fork. 0 or -ENOMEM. */
#ifndef ANALYZE_SUMMARY_SUM_OPEN_H
#define ANALYZE_SUMMARY_SUM_OPEN_H

#include "analyze/summary/sum_in.h"

/* An inference, or the creation of a session, without an end. */
int sum_open_run(struct summary_maker *maker, const struct run *run);
int sum_open_creation(struct summary_maker *maker, uint32_t process, const struct slice *slice);
int sum_open_make(struct summary_maker *maker, struct end *end);
/* Who created sessions that a process has inherited. */
int sum_forked_make(struct summary_maker *maker, struct end *end);

#endif
