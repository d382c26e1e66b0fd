/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The 95 % confidence interval of a mean. Neighbours in a series of latencies are alike (a busy machine is busy for a
 * while), so the interval comes from how many independent values the series is worth, not from how many it has.
 */
#ifndef ANALYZE_STATS_STATS_INTERVAL_H
#define ANALYZE_STATS_STATS_INTERVAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* From fewer values no interval is known. */
enum { STATS_LEAST_VALUES = 8 };

struct stats_interval {
	double half;	    /* the mean is its value +- this; NAN: fewer than STATS_LEAST_VALUES values */
	double n_effective; /* independent values that the series is worth; NAN: not known */
	bool is_short;	    /* worth fewer than 10: the interval itself is a guess */
};

/* value: n values in the order of measurement. */
struct stats_interval stats_interval_of(const uint64_t *value, size_t n);

/*
 * The same from the means of consecutive blocks of equal length, of which n values were made. mean is overwritten.
 * variance: of the single values.
 */
struct stats_interval stats_interval_of_blocks(double *mean, size_t n_blocks, uint64_t n, double variance);

/*
 * The interval of the mean of all values from those of several processes that ran the same, sum[i] of n_of[i] values
 * each: what differs between processes (memory layout, what else the machine does) no single one can know. NAN: fewer
 * than 2.
 */
double stats_interval_of_rounds(const double *sum, const size_t *n_of, size_t n);

/* Of n values: 0 for fewer than 2. */
double stats_variance_of(const uint64_t *value, size_t n);

/* Student's t, two-sided 95 %; df may be a fraction, 1 at least. */
double stats_t_95(double df);

#endif
