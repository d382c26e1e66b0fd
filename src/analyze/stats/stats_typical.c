// SPDX-License-Identifier: Apache-2.0
/*
 * The interval of the median follows from that of a share: what part of the values lies below it. That part is a mean
 * of zeros and ones in the order of measurement, so that its interval allows for neighbours that are alike
 * (stats_interval.h); the values at its two ends are those of the median.
 */
#include "analyze/stats/stats_typical.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/stats/stats_sort.h"

enum { SHARE_BLOCKS = 1024 };

static double share_below(const uint64_t *value, size_t n, uint64_t median)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += value[i] < median ? 1 : value[i] == median ? 0.5 : 0;
	return sum / (double)n;
}

/* Half of the interval of the share that lies below the median; NAN: too few values. */
static double half_of_share(const struct stats *stats, uint64_t median)
{
	size_t n = (size_t)stats->n, per_block = (n + SHARE_BLOCKS - 1) / SHARE_BLOCKS, n_blocks = n / per_block;
	double mean[SHARE_BLOCKS], half;

	for (size_t i = 0; i < n_blocks; i++)
		mean[i] = share_below(stats->value + i * per_block, per_block, median);
	half = stats_interval_of_blocks(mean, n_blocks, n, 0.25).half;
	return half;
}

static void find_interval(struct stats_typical *typical, struct stats *stats, uint64_t median)
{
	double half = half_of_share(stats, median), n = (double)stats->n;

	typical->low_ns = typical->high_ns = NAN;
	if (!(half < 0.5))
		return;
	typical->low_ns = (double)stats_rank(stats, (uint64_t)fmax(floor(n * (0.5 - half)), 1));
	typical->high_ns = (double)stats_rank(stats, (uint64_t)fmin(ceil(n * (0.5 + half)) + 1, n));
}

static int find_blocks(struct stats_typical *typical, const struct stats *stats)
{
	size_t n = (size_t)stats->n, n_blocks = n / STATS_TYPICAL_PER_BLOCK, per_block;
	uint64_t *copy;

	if (n_blocks < STATS_TYPICAL_LEAST)
		return 0;
	n_blocks = n_blocks < STATS_TYPICAL_BLOCKS ? n_blocks : STATS_TYPICAL_BLOCKS;
	per_block = n / n_blocks;
	copy = malloc(2 * per_block * sizeof *copy);
	if (!copy)
		return -ENOMEM;
	for (size_t i = 0; i < n_blocks; i++) {
		memcpy(copy, stats->value + i * per_block, per_block * sizeof *copy);
		stats_sort(copy, per_block, copy + per_block);
		typical->block_ns[i] = (float)copy[(per_block - 1) / 2];
		typical->block_quartile_ns[i] = (float)copy[(per_block - 1) / 4];
	}
	typical->n_blocks = (uint32_t)n_blocks;
	free(copy);
	return 0;
}

int stats_typical_of(struct stats_typical *typical, struct stats *stats)
{
	uint64_t median;

	*typical = (struct stats_typical){ 0 };
	if (!stats->n || !stats_is_exact(stats))
		return 0;
	/* before ranks are asked for: without memory these sort the values themselves */
	if (find_blocks(typical, stats))
		return -ENOMEM;
	median = stats_percentile(stats, 0.5);
	typical->median_ns = (double)median;
	typical->quartile_ns = (double)stats_percentile(stats, 0.25);
	find_interval(typical, stats, median);
	return 0;
}

double stats_typical_scatter(const float *block_ns, uint32_t n)
{
	double sum = 0, squares = 0, mean;

	if (n < STATS_TYPICAL_LEAST)
		return NAN;
	for (uint32_t i = 0; i < n; i++)
		sum += log(fmax((double)block_ns[i], 1));
	mean = sum / n;
	for (uint32_t i = 0; i < n; i++)
		squares += pow(log(fmax((double)block_ns[i], 1)) - mean, 2);
	return sqrt(squares / (n - 1));
}
