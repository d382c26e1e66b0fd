/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is said of a series of latencies: percentiles, interval of the mean, histogram, outliers, drift. What cannot be
 * known from so few values is NAN.
 */
#ifndef ANALYZE_STATS_STATS_SERIES_H
#define ANALYZE_STATS_STATS_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/stats/stats.h"

enum { STATS_BINS = 40, STATS_N_PERCENTILES = 5, STATS_CURVE = 160 };

/*
 * Nearest rank. It is known when so many values were measured that with 95 % confidence one of them lies
 * above it: 5 for p50, 29 for p90, 59 for p95, 299 for p99, 2,995 for p99.9.
 */
struct stats_quantile {
	const char *name; /* "p99.9" */
	double share;	  /* 0.999 */
	uint64_t n_needed;
	double ns; /* NAN: not known */
};

/* Bins whose edges are round numbers, equally wide or (is_log) each wider than the last by the same factor. */
struct stats_histogram {
	uint32_t n;
	bool is_log;
	double edge[STATS_BINS + 1]; /* bin i: edge[i] <= value < edge[i + 1] */
	uint64_t count[STATS_BINS];
	uint64_t n_above; /* beyond the last edge: few, and far away */
};

enum stats_drift {
	STATS_DRIFT_UNKNOWN, /* too few values, or too many to keep */
	STATS_STEADY,
	STATS_SLOWING, /* latencies grew while it was measured */
	STATS_QUICKENING
};

struct stats_series {
	uint64_t n, min_ns, max_ns;
	bool is_exact; /* else percentiles, bins and outliers are off by STATS_ERROR of their value at most */
	double total_ns;
	double mean_ns, deviation_ns;
	double interval_ns; /* the mean is mean_ns +- this with 95 % confidence, see stats_interval.h */
	double n_effective;
	bool is_short;
	struct stats_quantile percentile[STATS_N_PERCENTILES]; /* p50, p90, p95, p99, p99.9 */
	struct stats_histogram histogram;
	double outlier_ns; /* values above are outliers: beyond the third quartile by 3 times the middle half's width */
	uint64_t n_outliers;
	double outlier_share; /* of total_ns */
	enum stats_drift drift;
	bool is_gradual;    /* what drifts does so in each quarter, see stats_drift.h */
	double drift_ratio; /* median of the last quarter by that of the first; NAN: not known */
	/* [i]: what the share stats_curve_share(i) of all values do not exceed; closer together at the slow end */
	double curve_ns[STATS_CURVE + 1];
};

/*
 * Drift is looked for inside of each part (stats_begin_part): from one process to the next a mean changes by chance.
 * 0, or -ENOMEM. Of none all is unknown.
 */
int stats_series_of(struct stats_series *series, struct stats *stats);

static inline double stats_curve_share(int i)
{
	double rest = 1 - (double)i / STATS_CURVE;

	return 1 - rest * rest;
}

#endif
