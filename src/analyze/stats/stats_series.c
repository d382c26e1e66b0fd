// SPDX-License-Identifier: Apache-2.0
#include "analyze/stats/stats_series.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/stats/stats_drift.h"
#include "analyze/stats/stats_sort.h"

enum { DRIFT_BLOCKS = 20, DRIFT_LEAST = 40, DRIFT_PARTS = 6 };

/* Drifting: the trend is no accident (99 %), and it is worth talking about. */
#define DRIFT_Z 2.576
#define DRIFT_RATIO 0.02
#define OUTLIER_WIDTHS 3

static const struct {
	const char *name;
	double share;
} wanted[STATS_N_PERCENTILES] = {
	{ "p50", 0.5 }, { "p90", 0.9 }, { "p95", 0.95 }, { "p99", 0.99 }, { "p99.9", 0.999 }
};

static void find_percentiles(struct stats_series *series, struct stats *stats)
{
	for (int i = 0; i < STATS_N_PERCENTILES; i++)
		if (series->n >= series->percentile[i].n_needed)
			series->percentile[i].ns = (double)stats_percentile(stats, wanted[i].share);
	for (int i = 0; i <= STATS_CURVE; i++)
		series->curve_ns[i] = (double)stats_percentile(stats, stats_curve_share(i));
}

static double quantile(struct stats *stats, double share)
{
	return (double)stats_rank(stats, (uint64_t)(share * (double)(stats->n - 1)) + 1);
}

/* 1, 2 or 5 times a power of ten, not below value. */
static double round_step(double value)
{
	double power = pow(10, floor(log10(value)));

	return power * (value <= power * 1.0000001 ? 1 : value <= 2 * power ? 2 : value <= 5 * power ? 5 : 10);
}

/* low to high in equal steps; nearly all values lie between. */
static void linear_edges(struct stats_histogram *to, double low, double high)
{
	double step = round_step(fmax((high - low) / (STATS_BINS - 10), 1)), first;

	first = floor(low / step) * step;
	to->n = (uint32_t)fmin(ceil((high - first) / step + 1e-9), STATS_BINS);
	to->n = to->n ? to->n : 1;
	for (uint32_t i = 0; i <= to->n; i++)
		to->edge[i] = first + step * i;
}

/* 5, 10, 20 or 40 bins to a power of ten. */
static void log_edges(struct stats_histogram *to, double low, double high)
{
	double per_decade = 40, first, n;

	low = fmax(low, 1);
	while ((n = ceil(log10(high / low) * per_decade) + 1) > STATS_BINS && per_decade > 2)
		per_decade /= 2;
	first = floor(log10(low) * per_decade + 1e-9);
	to->is_log = true;
	to->n = (uint32_t)fmax(fmin(n, STATS_BINS), 1);
	for (uint32_t i = 0; i <= to->n; i++)
		to->edge[i] = pow(10, (first + i) / per_decade);
}

static void find_histogram(struct stats_series *series, struct stats *stats)
{
	struct stats_histogram *to = &series->histogram;
	double low = (double)stats->min, high = (double)stats->max, most = quantile(stats, 0.95);
	uint64_t before = 0;

	/* a few values far away would leave all the others in one bin */
	if (high > low + 2.5 * (most - low))
		high = low + 1.5 * fmax(most - low, low * 0.005);
	if (most > 8 * fmax(quantile(stats, 0.01), 1))
		log_edges(to, low, high);
	else
		linear_edges(to, low, high + 1);
	for (uint32_t bin = 0; bin < to->n; bin++) {
		uint64_t below = stats_below(stats, to->edge[bin + 1], NULL);

		to->count[bin] = below - before;
		before = below;
	}
	to->n_above = stats->n - before;
}

static void find_outliers(struct stats_series *series, struct stats *stats)
{
	double q1 = quantile(stats, 0.25), q3 = quantile(stats, 0.75), below_ns = 0;

	series->outlier_ns = NAN;
	if (stats->n < STATS_LEAST_VALUES)
		return;
	series->outlier_ns = q3 + OUTLIER_WIDTHS * (q3 - q1);
	series->n_outliers = stats->n - stats_below(stats, nextafter(series->outlier_ns, INFINITY), &below_ns);
	if (series->n_outliers && series->total_ns > 0)
		series->outlier_share = fmax(1 - below_ns / series->total_ns, 0);
}

static double median_of(const uint64_t *value, size_t n, uint64_t *room)
{
	memcpy(room, value, n * sizeof *room);
	stats_sort(room, n, room + n);
	return n % 2 ? (double)room[n / 2] : ((double)room[n / 2 - 1] + (double)room[n / 2]) / 2;
}

/* What Mann and Kendall's test adds up over processes. */
struct trend {
	double score, variance;
	double quarter_ns[STATS_QUARTERS]; /* medians, weighed by how many values they are of */
	size_t n;
};

/* On the medians of blocks: outliers, which come at any time, do not count. */
static void add_trend(struct trend *trend, const uint64_t *value, size_t n, int n_blocks, uint64_t *room)
{
	size_t per_block = n / (size_t)n_blocks, quarter = n / STATS_QUARTERS;
	double median[DRIFT_BLOCKS], blocks = n_blocks;

	if (per_block < DRIFT_LEAST / DRIFT_BLOCKS)
		return;
	for (int i = 0; i < n_blocks; i++) {
		median[i] = median_of(value + (size_t)i * per_block, per_block, room);
		for (int k = 0; k < i; k++)
			trend->score += (median[i] > median[k]) - (median[i] < median[k]);
	}
	trend->variance += blocks * (blocks - 1) * (2 * blocks + 5) / 18;
	for (size_t i = 0; i < STATS_QUARTERS; i++)
		trend->quarter_ns[i] +=
		    (double)n * median_of(value + (n - quarter) * i / (STATS_QUARTERS - 1), quarter, room);
	trend->n += n;
}

static int find_drift(struct stats_series *series, const struct stats *stats)
{
	size_t n_parts = stats->n_more + 1;
	int n_blocks = n_parts > DRIFT_BLOCKS / DRIFT_PARTS ? DRIFT_PARTS : DRIFT_BLOCKS / (int)n_parts;
	uint64_t *room = stats_is_exact(stats) ? malloc(stats->n * sizeof *room) : NULL;
	struct trend trend = { 0 };
	double step[STATS_QUARTERS - 1];

	if (!stats_is_exact(stats))
		return 0;
	if (!room)
		return -ENOMEM;
	for (size_t i = 0; i < n_parts; i++) {
		size_t n;
		const uint64_t *value = stats_part(stats, i, &n);

		add_trend(&trend, value, n, n_blocks, room);
	}
	free(room);
	if (trend.n < DRIFT_LEAST)
		return 0;
	for (int i = 0; i < STATS_QUARTERS - 1; i++)
		step[i] = log(trend.quarter_ns[i + 1] / fmax(trend.quarter_ns[i], 1));
	series->is_gradual = stats_drift_is_gradual(step);
	series->drift_ratio = trend.quarter_ns[STATS_QUARTERS - 1] / fmax(trend.quarter_ns[0], 1);
	series->drift = STATS_STEADY;
	if (fabs(trend.score) <= DRIFT_Z * sqrt(trend.variance))
		return 0;
	if (trend.score > 0 && series->drift_ratio > 1 + DRIFT_RATIO)
		series->drift = STATS_SLOWING;
	if (trend.score < 0 && series->drift_ratio < 1 - DRIFT_RATIO)
		series->drift = STATS_QUICKENING;
	return 0;
}

/* Nothing is known but how many there are. */
static void clear(struct stats_series *series, uint64_t n)
{
	*series = (struct stats_series){ .n = n, .is_exact = true, .is_short = true };
	series->mean_ns = series->deviation_ns = series->interval_ns = series->n_effective = NAN;
	series->drift_ratio = series->outlier_ns = NAN;
	for (int i = 0; i < STATS_N_PERCENTILES; i++) {
		series->percentile[i] = (struct stats_quantile){ .name = wanted[i].name, .share = wanted[i].share };
		series->percentile[i].n_needed = (uint64_t)ceil(log(0.05) / log(wanted[i].share));
		series->percentile[i].ns = NAN;
	}
}

int stats_series_of(struct stats_series *series, struct stats *stats)
{
	struct stats_interval interval;

	clear(series, stats->n);
	if (!stats->n)
		return 0;
	interval = stats_interval(stats);
	series->is_exact = stats_is_exact(stats);
	series->mean_ns = stats_mean(stats);
	series->total_ns = stats->sum < UINT64_MAX ? (double)stats->sum : series->mean_ns * (double)stats->n;
	series->deviation_ns = stats_deviation(stats);
	series->interval_ns = interval.half;
	series->n_effective = interval.n_effective;
	series->is_short = interval.is_short;
	series->min_ns = stats->min;
	series->max_ns = stats->max;
	find_percentiles(series, stats);
	find_histogram(series, stats);
	find_outliers(series, stats);
	return find_drift(series, stats);
}
