// SPDX-License-Identifier: Apache-2.0
/* Values up to a limit, then a histogram: 128 equal steps between one power of two and the next. */
#include "analyze/summary/stats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEP_BITS = 7, STEPS = 1 << STEP_BITS, BUCKETS = (64 - STEP_BITS + 1) * STEPS, SMALL = 64 };

/* Values below 2 * STEPS have a bucket each. */
static size_t bucket_of(uint64_t value)
{
	int shift = value < 2 * STEPS ? 0 : 63 - __builtin_clzll(value) - STEP_BITS;

	return ((size_t)shift << STEP_BITS) + (size_t)(value >> shift);
}

/* The middle of a bucket. */
static uint64_t value_of(size_t bucket)
{
	int shift = bucket < 2 * STEPS ? 0 : (int)(bucket >> STEP_BITS) - 1;
	uint64_t low = (uint64_t)(bucket - ((size_t)shift << STEP_BITS)) << shift;

	return low + (shift ? (uint64_t)1 << (shift - 1) : 0);
}

static int make_histogram(struct stats *stats)
{
	uint64_t *count = calloc(BUCKETS, sizeof *count);

	if (!count)
		return -ENOMEM;
	for (size_t i = 0; i < stats->n; i++)
		count[bucket_of(stats->value[i])]++;
	free(stats->value);
	stats->value = count;
	stats->is_histogram = true;
	return 0;
}

static int make_room(struct stats *stats)
{
	uint32_t limit = stats->limit ? stats->limit : STATS_LIMIT;
	size_t capacity = stats->capacity ? stats->capacity * 2 : 8;
	uint64_t *value;

	if (stats->n >= limit)
		return make_histogram(stats);
	if (capacity > limit)
		capacity = limit;
	value = realloc(stats->value, capacity * sizeof *value);
	if (!value)
		return -ENOMEM;
	stats->value = value;
	stats->capacity = capacity;
	return 0;
}

/* Two blocks become one; an odd one at the end is left off. */
static void halve_blocks(struct stats *stats)
{
	stats->n_blocks /= 2;
	stats->per_block *= 2;
	for (uint32_t i = 0; i < stats->n_blocks; i++)
		stats->block[i] = stats->block[2 * i] + stats->block[2 * i + 1];
}

static void add_to_block(struct stats *stats, double d)
{
	stats->per_block += !stats->per_block;
	stats->open += d;
	if (++stats->n_open < stats->per_block)
		return;
	if (stats->n_blocks == STATS_BLOCKS) {
		halve_blocks(stats);
		if (stats->n_open < stats->per_block)
			return;
	}
	stats->block[stats->n_blocks++] = stats->open;
	stats->open = 0;
	stats->n_open = 0;
}

int stats_add(struct stats *stats, uint64_t value)
{
	double d;

	if (!stats->is_histogram && stats->n == stats->capacity && make_room(stats))
		return -ENOMEM;
	if (!stats->n) {
		stats->min = stats->max = value;
		stats->base = (double)value;
	}
	if (stats->is_histogram)
		stats->value[bucket_of(value)]++;
	else
		stats->value[stats->n] = value;
	stats->is_sorted = false;
	stats->n++;
	stats->sum = stats_sum(stats->sum, value);
	if (value < stats->min)
		stats->min = value;
	if (value > stats->max)
		stats->max = value;
	d = (double)value - stats->base;
	stats->d_sum += d;
	stats->d_squares += d * d;
	add_to_block(stats, d);
	return 0;
}

/* Those of another follow, as long as ours; what was in a block that is not full is in none then. */
static void merge_blocks(struct stats *to, const struct stats *from, double shift)
{
	struct stats more = *from;

	if (!to->n_blocks)
		to->per_block = more.per_block;
	while (more.n_blocks && to->per_block < more.per_block)
		halve_blocks(to);
	while (to->n_blocks && (more.per_block < to->per_block || to->n_blocks + more.n_blocks > STATS_BLOCKS)) {
		if (more.per_block < to->per_block) {
			halve_blocks(&more);
		} else {
			halve_blocks(&more);
			halve_blocks(to);
		}
	}
	for (uint32_t i = 0; i < more.n_blocks; i++)
		to->block[to->n_blocks++] = more.block[i] + shift * (double)more.per_block;
	to->open = 0;
	to->n_open = 0;
}

static void merge_moments(struct stats *to, const struct stats *from)
{
	double shift = from->base - to->base;

	if (!to->n) {
		to->min = from->min;
		to->max = from->max;
		to->base = from->base;
		shift = 0;
	}
	if (from->min < to->min)
		to->min = from->min;
	if (from->max > to->max)
		to->max = from->max;
	merge_blocks(to, from, shift);
	to->d_squares += from->d_squares + 2 * shift * from->d_sum + shift * shift * (double)from->n;
	to->d_sum += from->d_sum + shift * (double)from->n;
	to->sum = stats_sum(to->sum, from->sum);
	to->n += from->n;
}

int stats_merge(struct stats *to, const struct stats *from)
{
	int rc = 0;

	if (!from->is_histogram) {
		for (size_t i = 0; !rc && i < from->n; i++)
			rc = stats_add(to, from->value[i]);
		return rc;
	}
	if (!to->is_histogram && (rc = make_histogram(to)))
		return rc;
	for (size_t i = 0; i < BUCKETS; i++)
		to->value[i] += from->value[i];
	merge_moments(to, from);
	return 0;
}

void stats_done(struct stats *stats)
{
	free(stats->value);
	stats->value = NULL;
}

/* One pass per byte that differs, least significant first. */
static bool sort_by_byte(const uint64_t *from, uint64_t *to, size_t n, int shift)
{
	size_t start[256] = { 0 };

	for (size_t i = 0; i < n; i++)
		start[from[i] >> shift & 255]++;
	if (start[from[0] >> shift & 255] == n)
		return false;
	for (size_t i = 0, sum = 0; i < 256; i++) {
		size_t count = start[i];
		start[i] = sum;
		sum += count;
	}
	for (size_t i = 0; i < n; i++)
		to[start[from[i] >> shift & 255]++] = from[i];
	return true;
}

static int compare_values(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

void stats_sort(uint64_t *value, size_t n, uint64_t *scratch)
{
	uint64_t *from = value, *to = scratch;

	if (n < SMALL) {
		qsort(value, n, sizeof *value, compare_values);
		return;
	}
	for (int shift = 0; shift < 64; shift += 8) {
		if (sort_by_byte(from, to, n, shift)) {
			uint64_t *swap = from;
			from = to;
			to = swap;
		}
	}
	if (from != value)
		memcpy(value, from, n * sizeof *value);
}

static void sort_values(struct stats *stats)
{
	uint64_t *scratch = stats->n < SMALL ? NULL : malloc(stats->n * sizeof *scratch);

	if (stats->n < SMALL || scratch)
		stats_sort(stats->value, stats->n, scratch);
	else
		qsort(stats->value, stats->n, sizeof *stats->value, compare_values);
	free(scratch);
	stats->is_sorted = true;
}

static uint64_t histogram_percentile(const struct stats *stats, uint64_t rank)
{
	uint64_t seen = 0, value;
	size_t bucket = 0;

	while (bucket < BUCKETS - 1 && (seen += stats->value[bucket]) < rank)
		bucket++;
	value = value_of(bucket);
	return value < stats->min ? stats->min : value > stats->max ? stats->max : value;
}

double stats_edge(uint64_t min, uint64_t max, size_t n, size_t i)
{
	double low = min ? (double)min : 1, high = (double)max > low ? (double)max : low;

	return low * pow(high / low, (double)i / (double)n);
}

void stats_buckets(const struct stats *stats, size_t n, uint64_t *count)
{
	double low = stats->min ? (double)stats->min : 1, width = log((double)stats->max / low) / (double)n;

	memset(count, 0, n * sizeof *count);
	for (size_t i = 0; i < (stats->is_histogram ? (size_t)BUCKETS : stats->n); i++) {
		uint64_t value = stats->is_histogram ? value_of(i) : stats->value[i];
		double at = width > 0 && (double)value > low ? floor(log((double)value / low) / width) : 0;

		count[at < (double)n ? (size_t)at : n - 1] += stats->is_histogram ? stats->value[i] : 1;
	}
}

uint64_t stats_percentile(struct stats *stats, double share)
{
	uint64_t rank = (uint64_t)ceil(share * (double)stats->n);

	if (!stats->n)
		return 0;
	if (rank < 1)
		rank = 1;
	if (rank >= stats->n)
		return stats->max;
	if (stats->is_histogram)
		return histogram_percentile(stats, rank);
	if (!stats->is_sorted)
		sort_values(stats);
	return stats->value[rank - 1];
}

double stats_mean(const struct stats *stats)
{
	return stats->n ? stats->base + stats->d_sum / (double)stats->n : NAN;
}

double stats_deviation(const struct stats *stats)
{
	double n = (double)stats->n, variance;

	if (stats->n < 2)
		return NAN;
	variance = (stats->d_squares - stats->d_sum * stats->d_sum / n) / (n - 1);
	return variance > 0 ? sqrt(variance) : 0;
}

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

/* By blocks: what neighbouring blocks have in common makes them worth less. */
static double interval_by_blocks(const struct stats *stats)
{
	double n = stats->n_blocks, mean = 0, squares = 0, products = 0, alike, before = 0;

	if (stats->n_blocks < STATS_BLOCKS / 4 || stats->per_block < 2)
		return 0;
	for (uint32_t i = 0; i < stats->n_blocks; i++)
		mean += stats->block[i] / n;
	for (uint32_t i = 0; i < stats->n_blocks; i++) {
		double d = stats->block[i] - mean;

		squares += d * d;
		products += d * before;
		before = d;
	}
	alike = squares > 0 ? fmin(fmax(products / squares, 0), 0.9) : 0;
	return stats_t_95(n - 1) * sqrt(squares / (n - 1) / n * (1 + alike) / (1 - alike)) / (double)stats->per_block;
}

double stats_interval(const struct stats *stats)
{
	double n = (double)stats->n;

	if (stats->n < 2)
		return NAN;
	return fmax(stats_t_95(n - 1) * stats_deviation(stats) / sqrt(n), interval_by_blocks(stats));
}
