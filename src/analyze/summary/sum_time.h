/* SPDX-License-Identifier: Apache-2.0 */
/* Where the time of a recording went. */
#ifndef ANALYZE_SUMMARY_SUM_TIME_H
#define ANALYZE_SUMMARY_SUM_TIME_H

#include "analyze/summary/summary.h"

/* Fills summary->time, once the rest is there, from how long inferences ran, and how long these or creations did. */
void sum_time_make(struct summary *summary, uint64_t inferences_ns, uint64_t taken_ns);

#endif
