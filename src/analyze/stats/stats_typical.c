// SPDX-License-Identifier: Apache-2.0
/* Medians and quartiles of blocks of consecutive values. Judges nothing. */
#include "analyze/stats/stats_typical.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/stats/stats_sort.h"

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
	*typical = (struct stats_typical){ 0 };
	if (!stats->n || !stats_is_exact(stats))
		return 0;
	/* before ranks are asked for: without memory these sort the values themselves */
	if (find_blocks(typical, stats))
		return -ENOMEM;
	typical->median_ns = (double)stats_percentile(stats, 0.5);
	typical->quartile_ns = (double)stats_percentile(stats, 0.25);
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
