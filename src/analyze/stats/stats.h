/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statistics of whole numbers (nanoseconds, mostly), added one by one in the order of measurement. All values are kept,
 * and every figure is exact, up to a limit; beyond it percentiles come from a histogram whose steps grow with the value
 * and are off by STATS_ERROR of the value at most. Count, sum, mean, min and max are always exact.
 */
#ifndef ANALYZE_STATS_STATS_H
#define ANALYZE_STATS_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/stats/stats_interval.h"

#define STATS_ERROR (1.0 / 256)
enum { STATS_LIMIT = 1 << 20 };

struct stats {
	uint64_t n, sum, min, max; /* sum stops at UINT64_MAX */
	uint64_t *value;	   /* all of them, in the order of adding; NULL with a histogram */
	uint64_t *sorted;	   /* the same, ascending, once a rank was asked for */
	size_t capacity;
	size_t *part;  /* where each part but the first begins in value */
	size_t n_more; /* parts but the first */
	uint32_t limit;
	struct stats_many *many; /* the histogram's; NULL: value has all */
};

/* Start from a zeroed struct, or one with `limit` set (0: STATS_LIMIT). All: 0 or -ENOMEM. */
int stats_add(struct stats *stats, uint64_t value);
/* What follows was measured apart from what is there: in another process, or another session. */
int stats_begin_part(struct stats *stats);
/* Those of `from` become a part of their own (or several, if they are). */
int stats_merge(struct stats *to, const struct stats *from);
void stats_done(struct stats *stats);

/* The rank-th smallest value, 1 <= rank <= n. Sorts on first use. */
uint64_t stats_rank(struct stats *stats, uint64_t rank);
/*
 * The smallest value that at least this share (0 < share <= 1) of all values do not exceed: with all values
 * kept, one that occurred. 0 when there is none.
 */
uint64_t stats_percentile(struct stats *stats, double share);
/* How many values are below `edge`, and their sum (as a double; NULL: not asked for). */
uint64_t stats_below(struct stats *stats, double edge, double *sum);

/* NAN where there are too few values: mean of none, deviation of one. */
double stats_mean(const struct stats *stats);
double stats_deviation(const struct stats *stats);
struct stats_interval stats_interval(const struct stats *stats);

static inline bool stats_is_exact(const struct stats *stats)
{
	return !stats->many;
}

/* Of part i < n_more + 1: its values; *n of them. With all values kept only. */
const uint64_t *stats_part(const struct stats *stats, size_t i, size_t *n);

/*
 * How many values lie in each of n buckets between min and max; each is wider than the one before by the same
 * factor: bucket i ends at stats_edge(min, max, n, i + 1).
 */
void stats_buckets(struct stats *stats, size_t n, uint64_t *count);
double stats_edge(uint64_t min, uint64_t max, size_t n, size_t i);

static inline uint64_t stats_sum(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

#endif
