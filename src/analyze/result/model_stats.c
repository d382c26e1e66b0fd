// SPDX-License-Identifier: Apache-2.0
/*
 * One series. The interval of its mean: the series is cut into at most 1,024 blocks; from the correlation of the
 * blocks' means (Geyer's initial monotone sequence) follows how many independent ones they are worth, with a
 * correction for what short series hide. Ten long blocks taken as independent are a second opinion that sees slow
 * waves; the wider one counts. Simulated in test/unit/model_stats_test.c: 93 % and more of the intervals hold the
 * true mean wherever n_effective reaches 10.
 */
#include "analyze/result/model_stats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/summary/stats.h"

enum { BLOCKS = 1024, LONG_BLOCKS = 10, LEAST_VALUES = 8, DRIFT_BLOCKS = 20, DRIFT_LEAST = 40, DRIFT_PARTS = 6 };

/* Drifting: the trend is no accident (99 %), and it is worth talking about. */
#define DRIFT_Z 2.576
#define DRIFT_RATIO 0.02
#define OUTLIER_WIDTHS 3
#define EFFECTIVE_LEAST 10
#define SINGLE_RATIO 0.03

/* The means of `n_blocks` blocks of equal length, less what all have in common; a rest at the end is left out. */
static void block_means(const uint64_t *value, size_t per_block, size_t n_blocks, double *mean)
{
	double sum = 0;

	for (size_t b = 0; b < n_blocks; b++) {
		double block = 0;

		for (size_t i = 0; i < per_block; i++)
			block += (double)value[b * per_block + i] - (double)value[0];
		mean[b] = block / (double)per_block;
		sum += mean[b];
	}
	for (size_t b = 0; b < n_blocks; b++)
		mean[b] -= sum / (double)n_blocks;
}

static double covariance(const double *mean, size_t n, size_t lag)
{
	double sum = 0;

	for (size_t i = 0; i + lag < n; i++)
		sum += mean[i] * mean[i + lag];
	return sum / (double)n;
}

/*
 * How many neighbours say the same: sums of two autocorrelations each, as long as they are above zero and do not
 * rise. At least 1: what looks better than independent is luck.
 */
static double correlation_time(const double *mean, size_t n, double variance)
{
	double tau = -1, previous = INFINITY;

	for (size_t lag = 0; lag + 1 < n; lag += 2) {
		double pair = (covariance(mean, n, lag) + covariance(mean, n, lag + 1)) / variance;

		if (pair < 0)
			break;
		previous = pair < previous ? pair : previous;
		tau += 2 * previous;
	}
	tau = tau < 1 ? 1 : tau;
	return tau * (1 + 2 * tau / (double)n);
}

/* The standard error of the mean, and the number of independent blocks behind it. */
struct error_of_mean {
	double error, worth;
};

static struct error_of_mean error_by_correlation(const uint64_t *value, size_t n)
{
	size_t per_block = (n + BLOCKS - 1) / BLOCKS, n_blocks = n / per_block;
	double mean[BLOCKS], variance, worth;

	block_means(value, per_block, n_blocks, mean);
	variance = covariance(mean, n_blocks, 0);
	if (!(variance > 0))
		return (struct error_of_mean){ 0, (double)n_blocks };
	worth = fmax((double)n_blocks / correlation_time(mean, n_blocks, variance), 1.01);
	variance *= worth / fmax(worth - 1, 0.2);
	return (struct error_of_mean){ sqrt(variance / worth), worth };
}

static double error_by_long_blocks(const uint64_t *value, size_t n)
{
	double mean[LONG_BLOCKS];

	if (n < 2 * LONG_BLOCKS)
		return 0;
	block_means(value, n / LONG_BLOCKS, LONG_BLOCKS, mean);
	return sqrt(covariance(mean, LONG_BLOCKS, 0) / (LONG_BLOCKS - 1));
}

static double variance_of(const uint64_t *value, size_t n)
{
	double sum = 0, squares = 0;

	for (size_t i = 0; i < n; i++) {
		double d = (double)value[i] - (double)value[0];

		sum += d;
		squares += d * d;
	}
	squares -= sum * sum / (double)n;
	return n > 1 && squares > 0 ? squares / (double)(n - 1) : 0;
}

double model_interval(const uint64_t *value, size_t n, double *n_effective, bool *is_short)
{
	struct error_of_mean first;
	double interval, second, variance = variance_of(value, n);

	*n_effective = NAN;
	*is_short = true;
	if (n < LEAST_VALUES)
		return NAN;
	first = error_by_correlation(value, n);
	interval = stats_t_95(first.worth - 1) * first.error;
	second = stats_t_95(LONG_BLOCKS - 1) * error_by_long_blocks(value, n);
	*is_short = first.worth < EFFECTIVE_LEAST;
	*n_effective = first.error > 0 ? fmin(variance / (first.error * first.error), (double)n) : (double)n;
	return fmax(interval, second);
}

/* A ratio of two sums over processes, which need not have run equally often. */
double model_interval_of_rounds(const double *sum, const size_t *n_of, size_t n)
{
	double all = 0, n_all = 0, squares = 0;

	if (n < 2)
		return NAN;
	for (size_t i = 0; i < n; i++) {
		all += sum[i];
		n_all += (double)n_of[i];
	}
	for (size_t i = 0; i < n; i++)
		squares += pow(sum[i] - all / n_all * (double)n_of[i], 2);
	return stats_t_95((double)n - 1) * sqrt(squares * (double)n / (double)(n - 1)) / n_all;
}

static const struct {
	const char *name;
	double share;
} wanted[MODEL_N_PERCENTILES] = {
	{ "p50", 0.5 }, { "p90", 0.9 }, { "p95", 0.95 }, { "p99", 0.99 }, { "p99.9", 0.999 }
};

static void find_percentiles(struct model_series *series)
{
	for (int i = 0; i < MODEL_N_PERCENTILES; i++) {
		struct model_percentile *to = &series->percentile[i];
		/* the hair keeps 0.95 * 100 from being 95.00000000000001 */
		uint64_t rank = (uint64_t)ceil(wanted[i].share * (double)series->n - 1e-9);

		if (series->n >= to->n_needed)
			to->ns = (double)series->sorted[rank - 1];
	}
}

static double quantile(const struct model_series *series, double share)
{
	return (double)series->sorted[(size_t)(share * (double)(series->n - 1))];
}

/* 1, 2 or 5 times a power of ten, not below value. */
static double round_step(double value)
{
	double power = pow(10, floor(log10(value)));

	return power * (value <= power * 1.0000001 ? 1 : value <= 2 * power ? 2 : value <= 5 * power ? 5 : 10);
}

/* low to high in equal steps; nearly all values lie between. */
static void linear_edges(struct model_histogram *to, double low, double high)
{
	double step = round_step(fmax((high - low) / (MODEL_BINS - 10), 1)), first;

	first = floor(low / step) * step;
	to->n = (uint32_t)fmin(ceil((high - first) / step + 1e-9), MODEL_BINS);
	to->n = to->n ? to->n : 1;
	for (uint32_t i = 0; i <= to->n; i++)
		to->edge[i] = first + step * i;
}

/* 5, 10, 20 or 40 bins to a power of ten. */
static void log_edges(struct model_histogram *to, double low, double high)
{
	double per_decade = 40, first, n;

	low = fmax(low, 1);
	while ((n = ceil(log10(high / low) * per_decade) + 1) > MODEL_BINS && per_decade > 2)
		per_decade /= 2;
	first = floor(log10(low) * per_decade + 1e-9);
	to->is_log = true;
	to->n = (uint32_t)fmax(fmin(n, MODEL_BINS), 1);
	for (uint32_t i = 0; i <= to->n; i++)
		to->edge[i] = pow(10, (first + i) / per_decade);
}

static void find_histogram(struct model_series *series)
{
	struct model_histogram *to = &series->histogram;
	double low = (double)series->min_ns, high = (double)series->max_ns, most = quantile(series, 0.95);

	/* a few values far away would leave all the others in one bin */
	if (high > low + 2.5 * (most - low))
		high = low + 1.5 * fmax(most - low, low * 0.005);
	if (most > 8 * fmax(quantile(series, 0.01), 1))
		log_edges(to, low, high);
	else
		linear_edges(to, low, high + 1);
	for (uint64_t i = 0, bin = 0; i < series->n; i++) {
		while (bin < to->n && (double)series->sorted[i] >= to->edge[bin + 1])
			bin++;
		if (bin < to->n)
			to->count[bin]++;
		else
			to->n_above++;
	}
}

static void find_outliers(struct model_series *series)
{
	double q1 = quantile(series, 0.25), q3 = quantile(series, 0.75), sum = 0;

	series->outlier_ns = series->n < LEAST_VALUES ? NAN : q3 + OUTLIER_WIDTHS * (q3 - q1);
	for (uint64_t i = series->n; i && (double)series->sorted[i - 1] > series->outlier_ns; i--) {
		series->n_outliers++;
		sum += (double)series->sorted[i - 1];
	}
	series->outlier_share = series->total_ns > 0 ? sum / series->total_ns : 0;
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
	double first_ns, last_ns; /* medians of the quarters, weighed by how many values they are of */
	size_t n;
};

/* On the medians of blocks: outliers, which come at any time, do not count. */
static void add_trend(struct trend *trend, const uint64_t *value, size_t n, int n_blocks, uint64_t *room)
{
	size_t per_block = n / (size_t)n_blocks, quarter = n / 4;
	double median[DRIFT_BLOCKS], blocks = n_blocks;

	if (per_block < DRIFT_LEAST / DRIFT_BLOCKS)
		return;
	for (int i = 0; i < n_blocks; i++) {
		median[i] = median_of(value + (size_t)i * per_block, per_block, room);
		for (int k = 0; k < i; k++)
			trend->score += (median[i] > median[k]) - (median[i] < median[k]);
	}
	trend->variance += blocks * (blocks - 1) * (2 * blocks + 5) / 18;
	trend->first_ns += (double)n * median_of(value, quarter, room);
	trend->last_ns += (double)n * median_of(value + n - quarter, quarter, room);
	trend->n += n;
}

static void find_drift(struct model_series *series, const uint64_t *value, const size_t *n_of, size_t n_rounds,
		       uint64_t *room)
{
	struct trend trend = { 0 };
	int n_blocks = n_rounds > DRIFT_BLOCKS / DRIFT_PARTS ? DRIFT_PARTS : DRIFT_BLOCKS / (int)n_rounds;

	series->drift_ratio = NAN;
	for (size_t i = 0; i < n_rounds; value += n_of[i++])
		add_trend(&trend, value, n_of[i], n_blocks, room);
	if (trend.n < DRIFT_LEAST)
		return;
	series->drift_ratio = trend.last_ns / fmax(trend.first_ns, 1);
	series->drift = MODEL_STEADY;
	if (fabs(trend.score) <= DRIFT_Z * sqrt(trend.variance))
		return;
	if (trend.score > 0 && series->drift_ratio > 1 + DRIFT_RATIO)
		series->drift = MODEL_SLOWING;
	if (trend.score < 0 && series->drift_ratio < 1 - DRIFT_RATIO)
		series->drift = MODEL_QUICKENING;
}

/* Nothing is known but how many there are. */
static void clear(struct model_series *series, uint64_t n)
{
	*series = (struct model_series){ .n = n };
	series->mean_ns = series->deviation_ns = series->interval_ns = series->n_effective = NAN;
	series->drift_ratio = series->outlier_ns = NAN;
	for (int i = 0; i < MODEL_N_PERCENTILES; i++) {
		series->percentile[i] = (struct model_percentile){ .name = wanted[i].name, .share = wanted[i].share };
		series->percentile[i].n_needed = (uint64_t)ceil(log(0.05) / log(wanted[i].share));
		series->percentile[i].ns = NAN;
	}
}

int model_series_of(struct model_series *series, const uint64_t *value, size_t n, struct arena *arena)
{
	return model_series_of_rounds(series, value, &n, 1, arena);
}

static size_t sum_of(const size_t *n_of, size_t n_rounds)
{
	size_t n = 0;

	for (size_t i = 0; i < n_rounds; i++)
		n += n_of[i];
	return n;
}

int model_series_of_rounds(struct model_series *series, const uint64_t *value, const size_t *n_of, size_t n_rounds,
			   struct arena *arena)
{
	size_t n = sum_of(n_of, n_rounds);
	uint64_t *room = n ? malloc(n * sizeof *room) : NULL;

	clear(series, n);
	series->is_short = true;
	series->sorted = n ? arena_alloc(arena, n * sizeof *value) : NULL;
	if (n && (!room || !series->sorted)) {
		free(room);
		return -ENOMEM;
	}
	if (!n)
		return 0;
	for (size_t i = 0; i < n; i++)
		series->total_ns += (double)value[i];
	series->mean_ns = series->total_ns / (double)n;
	series->deviation_ns = n > 1 ? sqrt(variance_of(value, n)) : NAN;
	series->interval_ns = model_interval(value, n, &series->n_effective, &series->is_short);
	find_drift(series, value, n_of, n_rounds, room);
	memcpy(series->sorted, value, n * sizeof *value);
	stats_sort(series->sorted, n, room);
	series->min_ns = series->sorted[0];
	series->max_ns = series->sorted[n - 1];
	find_percentiles(series);
	find_histogram(series);
	find_outliers(series);
	free(room);
	return 0;
}

void model_series_of_runs(struct model_series *series, const struct summary_runs *runs)
{
	const struct summary_spread *spread = &runs->latency;
	const double known[MODEL_N_PERCENTILES] = { (double)spread->p50_ns, (double)spread->p90_ns, NAN,
						    (double)spread->p99_ns, NAN };

	clear(series, spread->n);
	if (!spread->n)
		return;
	series->total_ns = (double)spread->total_ns;
	series->mean_ns = spread->mean_ns;
	series->interval_ns = spread->interval_ns;
	series->min_ns = spread->min_ns;
	series->max_ns = spread->max_ns;
	for (int i = 0; i < MODEL_N_PERCENTILES; i++)
		if (series->n >= series->percentile[i].n_needed)
			series->percentile[i].ns = known[i];
	series->histogram.n = spread->min_ns < spread->max_ns ? SUMMARY_BUCKETS : 0;
	series->histogram.is_log = true;
	for (uint32_t i = 0; i < series->histogram.n; i++) {
		series->histogram.edge[i + 1] = stats_edge(spread->min_ns, spread->max_ns, SUMMARY_BUCKETS, i + 1);
		series->histogram.count[i] = runs->bucket[i];
	}
	series->histogram.edge[0] = (double)spread->min_ns;
}

double model_series_ecdf(const struct model_series *series, double ns)
{
	uint64_t low = 0, high = series->n;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if ((double)series->sorted[middle] <= ns)
			low = middle + 1;
		else
			high = middle;
	}
	return series->n ? (double)low / (double)series->n : NAN;
}

struct model_ratio model_ratio_of_single(struct model_ratio ratio, double medians)
{
	ratio.is_different &= ratio.value > 1 ? medians > 1 + SINGLE_RATIO : medians < 1 - SINGLE_RATIO;
	return ratio;
}

/* Fieller's theorem with independent means, each of them known with its interval. */
struct model_ratio model_ratio(double a, double interval_a, double b, double interval_b)
{
	struct model_ratio ratio = { b > 0 ? a / b : NAN, NAN, NAN, false, false };
	double free = b * b - interval_b * interval_b, root;

	if (!(a > 0) || !(b > 0) || !isfinite(interval_a) || !isfinite(interval_b))
		return ratio;
	ratio.is_known = true;
	ratio.is_different = fabs(a - b) > interval_a + interval_b;
	root = a * b * a * b - free * (a * a - interval_a * interval_a);
	/* a mean that might as well be 0 says nothing of a ratio */
	if (free <= 0 || root < 0)
		return ratio;
	ratio.low = fmax((a * b - sqrt(root)) / free, 0);
	ratio.high = (a * b + sqrt(root)) / free;
	return ratio;
}
