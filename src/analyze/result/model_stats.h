/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statistics of a series of latencies in the order in which they were measured. Neighbours in such a series are
 * alike (a busy machine is busy for a while), so the interval of the mean comes from how many independent values
 * the series is worth, not from how many it has. What cannot be known from so few values is NAN.
 */
#ifndef ANALYZE_RESULT_MODEL_STATS_H
#define ANALYZE_RESULT_MODEL_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/summary/summary.h"
#include "base/arena.h"

enum { MODEL_BINS = 40, MODEL_N_PERCENTILES = 5 };

/*
 * Nearest rank, exact. It is known when so many values were measured that with 95 % confidence one of them lies
 * above it: 5 for p50, 29 for p90, 59 for p95, 299 for p99, 2,995 for p99.9.
 */
struct model_percentile {
	const char *name; /* "p99.9" */
	double share;	  /* 0.999 */
	uint64_t n_needed;
	double ns; /* NAN: not known */
};

/* Bins whose edges are round numbers, equally wide or (is_log) each wider than the last by the same factor. */
struct model_histogram {
	uint32_t n;
	bool is_log;
	double edge[MODEL_BINS + 1]; /* bin i: edge[i] <= value < edge[i + 1] */
	uint64_t count[MODEL_BINS];
	uint64_t n_above; /* beyond the last edge: few, and far away */
};

enum model_drift {
	MODEL_DRIFT_UNKNOWN, /* too few values */
	MODEL_STEADY,
	MODEL_SLOWING, /* latencies grew while it was measured */
	MODEL_QUICKENING
};

struct model_series {
	uint64_t n, min_ns, max_ns;
	double total_ns;
	double mean_ns, deviation_ns;
	double interval_ns; /* the mean is mean_ns +- this with 95 % confidence; NAN: fewer than 8 values */
	double n_effective; /* independent values that the series is worth */
	bool is_short;	    /* worth fewer than 10: the interval itself is a guess, if it is of one process */
	struct model_percentile percentile[MODEL_N_PERCENTILES]; /* p50, p90, p95, p99, p99.9 */
	struct model_histogram histogram;
	double outlier_ns; /* values above are outliers: beyond the third quartile by 3 times the middle half's width */
	uint64_t n_outliers;
	double outlier_share; /* of total_ns */
	enum model_drift drift;
	double drift_ratio; /* median of the last quarter by that of the first; NAN: not known */
	uint64_t *sorted;   /* n values, ascending; in the arena */
};

/* value: n durations in the order of measurement. 0, or -ENOMEM. With n == 0 all is unknown. */
int model_series_of(struct model_series *series, const uint64_t *value, size_t n, struct arena *arena);

/*
 * The same of several processes, one after the other, with n_of[i] of the values each: what drifts, drifts inside of
 * them. From one to the next a mean changes by chance.
 */
int model_series_of_rounds(struct model_series *series, const uint64_t *value, const size_t *n_of, size_t n_rounds,
			   struct arena *arena);

/*
 * The same of a recording's inferences, of which only figures are known: p95 and p99.9, independent values, drift and
 * outliers are not. `sorted` is NULL.
 */
void model_series_of_runs(struct model_series *series, const struct summary_runs *runs);

/* The interval alone, as above. NAN: fewer than 8 values. */
double model_interval(const uint64_t *value, size_t n, double *n_effective, bool *is_short);

/*
 * The interval of the mean of all values from those of several processes that ran the same, sum[i] of n_of[i] values
 * each: what differs between processes (memory layout, what else the machine does) no single one can know. NAN: fewer
 * than 2.
 */
double model_interval_of_rounds(const double *sum, const size_t *n_of, size_t n);

/* The share of values up to ns, from the sorted ones. */
double model_series_ecdf(const struct model_series *series, double ns);

/* A ratio of two means, a / b, with its 95 % interval. */
struct model_ratio {
	double value, low, high; /* NAN: not known */
	bool is_known;		 /* both intervals are */
	bool is_different;	 /* the two means' intervals do not overlap; or the rounds say so */
};

/*
 * Processes that run the same differ by more than the interval of each says (1.5 % of the mean on an idle machine, a
 * third on a busy one; their medians by 1.6 % at most). Where there is one of each, the ratio of the medians must tell
 * the difference, too: the ratio with is_different set right.
 */
struct model_ratio model_ratio_of_single(struct model_ratio ratio, double medians);

/*
 * From that many rounds of each on it is no accident (95 %, by ranks, whatever their distribution) that all of the one
 * are beyond all of the other: one round far away can make intervals of means as wide as it likes.
 */
enum { MODEL_RANKED_ROUNDS = 4 };

struct model_ratio model_ratio(double mean_a, double interval_a, double mean_b, double interval_b);

#endif
