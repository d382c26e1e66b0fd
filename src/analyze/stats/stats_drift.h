/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether durations change over time although what they depend on does not: the median of the last quarter by that of
 * the first, within groups of like things, all groups together.
 */
#ifndef ANALYZE_STATS_STATS_DRIFT_H
#define ANALYZE_STATS_STATS_DRIFT_H

#include "analyze/stats/stats.h"

enum { STATS_QUARTERS = 4 };

struct stats_within {
	double sum, weight;
	double step[STATS_QUARTERS - 1]; /* as sum, from each quarter to the next */
};

/* A group: its durations, and beside each its size. Of a change of the time, what the size explains is taken off. */
void stats_drift_add(struct stats_within *drift, const struct stats *durations, const struct stats *sizes);
/*
 * Does each quarter go on from the one before? A busy moment of the machine begins once, and ends once: what changes
 * because of it stays as it is for at least one quarter. step: logarithms of ratios.
 */
bool stats_drift_is_gradual(const double step[STATS_QUARTERS - 1]);
/* NAN: the groups have less than half of n_all values, or what changes does not change gradually. */
double stats_drift_ratio(const struct stats_within *drift, uint64_t n_all);

#endif
