/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statistics of whole numbers (nanoseconds, mostly), added one by one. All values are kept, and every
 * figure is exact, up to a limit; beyond it percentiles come from a histogram whose steps grow with the
 * value and are off by STATS_ERROR of the value at most. Count, sum, mean, min and max are always exact.
 */
#ifndef ANALYZE_SUMMARY_STATS_H
#define ANALYZE_SUMMARY_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STATS_ERROR (1.0 / 256)
enum { STATS_LIMIT = 1 << 20, STATS_BLOCKS = 32 };

struct stats {
	uint64_t n, sum, min, max;  /* sum stops at UINT64_MAX */
	uint64_t *value;	    /* all of them, in the order of adding or of size; NULL with a histogram */
	uint64_t **count;	    /* the histogram's, in blocks that are NULL where all are 0 */
	uint32_t *source;	    /* of each value; NULL: all are of the same, `only` */
	size_t capacity, n_settled; /* n_settled: values that what follows is of */
	uint32_t limit, only;	    /* limit 0: STATS_LIMIT */
	bool is_sorted;
	double base, d_sum, d_squares; /* differences to the first value: their sum, the sum of their squares */
	double block[STATS_BLOCKS];    /* sums of these over blocks of per_block values, in the order of adding */
	double open;		       /* the sum of the n_open values of the block that is not full */
	uint64_t per_block, n_open;
	uint32_t n_blocks;
};

/* Start from a zeroed struct, or one with `limit` set. All: 0 or -ENOMEM. */
int stats_add(struct stats *stats, uint64_t value);
/* Those of one source (a thread) count as added one after the other, up to the limit. */
int stats_add_from(struct stats *stats, uint64_t value, uint32_t source);
int stats_merge(struct stats *stats, struct stats *from);
void stats_done(struct stats *stats);

/*
 * The smallest value that at least this share (0 < share <= 1) of all values do not exceed: with all values
 * kept, one that occurred. 0 when there is none. Sorts on first use.
 */
uint64_t stats_percentile(struct stats *stats, double share);
/* NAN where there are too few values: mean of none, deviation and interval of one. */
double stats_mean(struct stats *stats);
double stats_deviation(struct stats *stats);
/*
 * The mean is stats_mean +- this with 95 % confidence (Student's t). Values that were added one after the other may be
 * alike: what differs between blocks of them counts when it says more than what differs between values.
 */
double stats_interval(struct stats *stats);
/* Student's t, two-sided 95 %; df may be a fraction, 1 at least. */
double stats_t_95(double df);

static inline bool stats_is_exact(const struct stats *stats)
{
	return !stats->count;
}

/*
 * How many values lie in each of n buckets between min and max; each is wider than the one before by the same
 * factor: bucket i ends at stats_edge(min, max, n, i + 1).
 */
void stats_buckets(const struct stats *stats, size_t n, uint64_t *count);
double stats_edge(uint64_t min, uint64_t max, size_t n, size_t i);

/* Ascending. scratch has room for n values, too. */
void stats_sort(uint64_t *value, size_t n, uint64_t *scratch);

static inline uint64_t stats_sum(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

#endif
