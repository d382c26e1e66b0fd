/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a series is like in the middle, and how steady that was while it was measured: the median with its interval, the
 * lower quartile, and the medians of consecutive blocks. Outliers (a preempted thread) move none of them.
 */
#ifndef ANALYZE_STATS_STATS_TYPICAL_H
#define ANALYZE_STATS_STATS_TYPICAL_H

#include "analyze/stats/stats.h"

enum { STATS_TYPICAL_BLOCKS = 16, STATS_TYPICAL_LEAST = 4, STATS_TYPICAL_PER_BLOCK = 8 };

/* All zero: not known, there are too few values, or too many to be kept one by one. */
struct stats_typical {
	double median_ns;
	double quartile_ns; /* a quarter of all values does not exceed it */
	uint32_t n_blocks;  /* 0: fewer than 32 values */
	/* of equally many consecutive values each, in order */
	float block_ns[STATS_TYPICAL_BLOCKS], block_quartile_ns[STATS_TYPICAL_BLOCKS];
};

/* Sorts stats. 0, or -ENOMEM. */
int stats_typical_of(struct stats_typical *typical, struct stats *stats);

/*
 * How far the logarithms of such medians scatter (their standard deviation): what a median of as many values as a block
 * has may be off by, through noise and through slow change of the machine. NAN: fewer than STATS_TYPICAL_LEAST.
 */
double stats_typical_scatter(const float *block_ns, uint32_t n);

#endif
