// SPDX-License-Identifier: Apache-2.0
/*
 * The series is cut into at most 1,024 blocks; from the correlation of the blocks' means (Geyer's initial monotone
 * sequence) follows how many independent ones they are worth, with a correction for what short series hide. Ten long
 * blocks taken as independent are a second opinion that sees slow waves; the wider one counts. Simulated in
 * test/unit/stats_interval_test.c: 92 % and more of the intervals hold the true mean wherever n_effective reaches 10.
 */
#include "analyze/stats/stats_interval.h"

#include <math.h>

enum { BLOCKS = 1024, LONG_BLOCKS = 10, EFFECTIVE_LEAST = 10 };

double stats_t_95(double df)
{
	static const double table[] = {
		12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281
	};
	const double z = 1.959964;
	int low = df < 1 ? 1 : (int)df;

	if (df < 1)
		df = 1;
	/* between two entries t runs with 1 / df */
	if (df < 10)
		return table[low - 1] +
		       (table[low] - table[low - 1]) * (1.0 / low - 1 / df) / (1.0 / low - 1.0 / (low + 1));
	return z + (pow(z, 3) + z) / (4 * df) + (5 * pow(z, 5) + 16 * pow(z, 3) + 3 * z) / (96 * df * df) +
	       (3 * pow(z, 7) + 19 * pow(z, 5) + 17 * pow(z, 3) - 15 * z) / (384 * df * df * df);
}

/* Less what all have in common. */
static void centre(double *mean, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += mean[i];
	for (size_t i = 0; i < n; i++)
		mean[i] -= sum / (double)n;
}

/* The means of n_blocks blocks of per_block values each; a rest at the end is left out. */
static void block_means(const uint64_t *value, size_t per_block, size_t n_blocks, double *mean)
{
	for (size_t b = 0; b < n_blocks; b++) {
		double block = 0;

		for (size_t i = 0; i < per_block; i++)
			block += (double)value[b * per_block + i] - (double)value[0];
		mean[b] = block / (double)per_block;
	}
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

static struct error_of_mean error_by_correlation(const double *mean, size_t n)
{
	double variance = covariance(mean, n, 0), worth;

	if (!(variance > 0))
		return (struct error_of_mean){ 0, (double)n };
	worth = fmax((double)n / correlation_time(mean, n, variance), 1.01);
	variance *= worth / fmax(worth - 1, 0.2);
	return (struct error_of_mean){ sqrt(variance / worth), worth };
}

static double error_by_long_blocks(double *mean, size_t n)
{
	size_t per_block = n / LONG_BLOCKS;

	if (n < 2 * (size_t)LONG_BLOCKS)
		return 0;
	for (size_t b = 0; b < LONG_BLOCKS; b++) {
		double sum = 0;

		for (size_t i = 0; i < per_block; i++)
			sum += mean[b * per_block + i];
		mean[b] = sum / (double)per_block;
	}
	centre(mean, LONG_BLOCKS);
	return sqrt(covariance(mean, LONG_BLOCKS, 0) / (LONG_BLOCKS - 1));
}

struct stats_interval stats_interval_of_blocks(double *mean, size_t n_blocks, uint64_t n, double variance)
{
	struct stats_interval interval = { NAN, NAN, true };
	struct error_of_mean first;

	if (n < STATS_LEAST_VALUES || !n_blocks)
		return interval;
	centre(mean, n_blocks);
	first = error_by_correlation(mean, n_blocks);
	interval.half = fmax(stats_t_95(first.worth - 1) * first.error,
			     stats_t_95(LONG_BLOCKS - 1) * error_by_long_blocks(mean, n_blocks));
	interval.is_short = first.worth < EFFECTIVE_LEAST;
	interval.n_effective = first.error > 0 ? fmin(variance / (first.error * first.error), (double)n) : (double)n;
	return interval;
}

struct stats_interval stats_interval_of(const uint64_t *value, size_t n)
{
	size_t per_block = (n + BLOCKS - 1) / BLOCKS, n_blocks = n ? n / per_block : 0;
	double mean[BLOCKS];

	block_means(value, per_block, n_blocks, mean);
	return stats_interval_of_blocks(mean, n_blocks, n, stats_variance_of(value, n));
}

/* A ratio of two sums over processes, which need not have run equally often. */
double stats_interval_of_rounds(const double *sum, const size_t *n_of, size_t n)
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

/* Of differences to the first: a plain sum of squares would lose all digits. */
double stats_variance_of(const uint64_t *value, size_t n)
{
	double sum = 0, squares = 0;

	for (size_t i = 0; i < n; i++) {
		double d = (double)value[i] - (double)value[0];

		sum += d;
		squares += d * d;
	}
	squares -= n ? sum * sum / (double)n : 0;
	return n > 1 && squares > 0 ? squares / (double)(n - 1) : 0;
}
