/* SPDX-License-Identifier: Apache-2.0 */
/* How things went over time, and the time between inferences, of a summary in the making. */
#ifndef ANALYZE_SUMMARY_SUM_COURSES_H
#define ANALYZE_SUMMARY_SUM_COURSES_H

#include "analyze/summary/sum_types.h"

/* Makes a course while there are not too many; the index of a copy, + 1, goes into *index.
 */
int sum_courses_open(struct course **course, uint32_t *n);
int sum_courses_put(struct array *courses, const struct course *course, uint32_t *index);
void sum_courses_align(struct array *courses);

/* An inference has ended; one begins, and makes window.busy busy. */
void sum_gaps_idle(struct summary_maker *maker);
void sum_gaps_begin(struct summary_maker *maker, uint64_t time_ns);

#endif
