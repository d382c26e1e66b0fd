/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether durations change over time although what they depend on does not: the median of the last quarter by that of
 * the first, within groups of like things, all groups together.
 */
#ifndef ANALYZE_STATS_STATS_DRIFT_H
#define ANALYZE_STATS_STATS_DRIFT_H

#include "analyze/stats/stats.h"

struct stats_within {
	double sum, weight;
};

/* A group: its durations, and beside each its size. Of a change of the time, what the size explains is taken off. */
void stats_drift_add(struct stats_within *drift, const struct stats *durations, const struct stats *sizes);
/* NAN: the groups have less than half of n_all values. */
double stats_drift_ratio(const struct stats_within *drift, uint64_t n_all);

#endif
