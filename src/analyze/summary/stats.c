// SPDX-License-Identifier: Apache-2.0
/*
 * Values up to a limit, then a histogram: 128 equal steps between one power of two and the next. Mean, deviation and
 * interval are made from the values when they are asked for, and as values come once there is a histogram.
 */
#include "analyze/summary/stats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEP_BITS = 7, STEPS = 1 << STEP_BITS, BLOCKS = 64 - STEP_BITS + 1, BUCKETS = BLOCKS * STEPS, SMALL = 64 };

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

static uint64_t count_at(const struct stats *stats, size_t bucket)
{
	const uint64_t *block = stats->count[bucket / STEPS];

	return block ? block[bucket % STEPS] : 0;
}

static int count(struct stats *stats, size_t bucket, uint64_t n)
{
	uint64_t **block = &stats->count[bucket / STEPS];

	if (!*block && !(*block = calloc(STEPS, sizeof **block)))
		return -ENOMEM;
	(*block)[bucket % STEPS] += n;
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

static void add_to_moments(struct stats *stats, uint64_t value)
{
	double d;

	if (!stats->n_settled++)
		stats->base = (double)value;
	d = (double)value - stats->base;
	stats->d_sum += d;
	stats->d_squares += d * d;
	add_to_block(stats, d);
}

/* Source by source, each in the order of adding. */
static void sort_by_source(struct stats *stats)
{
	uint64_t *sorted = malloc(stats->n * sizeof *sorted);
	size_t n = 0;
	uint32_t next, source = 0;

	/* without memory they stay as they are: only what neighbours have in common is another figure then */
	for (bool is_more = sorted != NULL; is_more && n < stats->n; source = next) {
		next = UINT32_MAX;
		for (size_t i = 0; i < stats->n; i++) {
			if (stats->source[i] == source)
				sorted[n++] = stats->value[i];
			else if (stats->source[i] > source && stats->source[i] < next)
				next = stats->source[i];
		}
		is_more = next > source;
	}
	if (n == stats->n)
		memcpy(stats->value, sorted, n * sizeof *sorted);
	free(sorted);
}

/* What lies in value counts for mean, deviation and interval. */
static void settle(struct stats *stats)
{
	if (stats->count || stats->n_settled == stats->n)
		return;
	if (stats->source && !stats->n_settled)
		sort_by_source(stats);
	free(stats->source);
	stats->source = NULL;
	while (stats->n_settled < stats->n)
		add_to_moments(stats, stats->value[stats->n_settled]);
}

static int make_histogram(struct stats *stats)
{
	int rc = 0;

	settle(stats);
	stats->count = calloc(BLOCKS, sizeof *stats->count);
	if (!stats->count)
		return -ENOMEM;
	for (size_t i = 0; !rc && i < stats->n; i++)
		rc = count(stats, bucket_of(stats->value[i]), 1);
	free(stats->value);
	stats->value = NULL;
	return rc;
}

static int make_room(struct stats *stats)
{
	uint32_t limit = stats->limit ? stats->limit : STATS_LIMIT;
	size_t capacity = stats->capacity ? stats->capacity * 2 : 8;
	uint64_t *value;
	uint32_t *source;

	if (stats->n >= limit)
		return make_histogram(stats);
	if (capacity > limit)
		capacity = limit;
	value = realloc(stats->value, capacity * sizeof *value);
	if (!value)
		return -ENOMEM;
	stats->value = value;
	if (stats->source) {
		source = realloc(stats->source, capacity * sizeof *source);
		if (!source)
			return -ENOMEM;
		stats->source = source;
	}
	stats->capacity = capacity;
	return 0;
}

/* The first value of a second source. */
static int add_sources(struct stats *stats)
{
	stats->source = malloc(stats->capacity * sizeof *stats->source);
	if (!stats->source)
		return -ENOMEM;
	for (size_t i = 0; i < stats->n; i++)
		stats->source[i] = stats->only;
	return 0;
}

static int keep(struct stats *stats, uint64_t value, uint32_t source)
{
	if (!stats->n)
		stats->only = source;
	if (!stats->source && source != stats->only && add_sources(stats))
		return -ENOMEM;
	stats->value[stats->n] = value;
	if (stats->source)
		stats->source[stats->n] = source;
	stats->is_sorted = false;
	return 0;
}

int stats_add_from(struct stats *stats, uint64_t value, uint32_t source)
{
	if (!stats->count && stats->n == stats->capacity && make_room(stats))
		return -ENOMEM;
	if (stats->count ? count(stats, bucket_of(value), 1) : keep(stats, value, source))
		return -ENOMEM;
	if (!stats->n)
		stats->min = stats->max = value;
	stats->n++;
	stats->sum = stats_sum(stats->sum, value);
	if (value < stats->min)
		stats->min = value;
	if (value > stats->max)
		stats->max = value;
	if (stats->count)
		add_to_moments(stats, value);
	return 0;
}

int stats_add(struct stats *stats, uint64_t value)
{
	return stats_add_from(stats, value, 0);
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
	to->n_settled = to->n;
}

int stats_merge(struct stats *to, struct stats *from)
{
	int rc = 0;

	settle(from);
	if (!from->count) {
		for (size_t i = 0; !rc && i < from->n; i++)
			rc = stats_add(to, from->value[i]);
		return rc;
	}
	if (!to->count && (rc = make_histogram(to)))
		return rc;
	for (size_t i = 0; !rc && i < BUCKETS; i++)
		if (count_at(from, i))
			rc = count(to, i, count_at(from, i));
	merge_moments(to, from);
	return rc;
}

void stats_done(struct stats *stats)
{
	for (size_t i = 0; stats->count && i < BLOCKS; i++)
		free(stats->count[i]);
	free(stats->count);
	free(stats->value);
	free(stats->source);
	stats->count = NULL;
	stats->value = NULL;
	stats->source = NULL;
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

	settle(stats);
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

	while (bucket < BUCKETS - 1 && (seen += count_at(stats, bucket)) < rank)
		bucket++;
	value = value_of(bucket);
	return value < stats->min ? stats->min : value > stats->max ? stats->max : value;
}

double stats_edge(uint64_t min, uint64_t max, size_t n, size_t i)
{
	double low = min ? (double)min : 1, high = (double)max > low ? (double)max : low;

	return low * pow(high / low, (double)i / (double)n);
}

void stats_buckets(const struct stats *stats, size_t n, uint64_t *number)
{
	double low = stats->min ? (double)stats->min : 1, width = log((double)stats->max / low) / (double)n;

	memset(number, 0, n * sizeof *number);
	for (size_t i = 0; i < (stats->count ? (size_t)BUCKETS : stats->n); i++) {
		uint64_t n_here = stats->count ? count_at(stats, i) : 1,
			 value = stats->count ? value_of(i) : stats->value[i];
		double at;

		if (!n_here)
			continue;
		at = width > 0 && (double)value > low ? floor(log((double)value / low) / width) : 0;
		number[at < (double)n ? (size_t)at : n - 1] += n_here;
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
	if (stats->count)
		return histogram_percentile(stats, rank);
	if (!stats->is_sorted)
		sort_values(stats);
	return stats->value[rank - 1];
}

double stats_mean(struct stats *stats)
{
	settle(stats);
	return stats->n ? stats->base + stats->d_sum / (double)stats->n : NAN;
}

double stats_deviation(struct stats *stats)
{
	double n = (double)stats->n, variance;

	settle(stats);
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

double stats_interval(struct stats *stats)
{
	double n = (double)stats->n;

	settle(stats);
	if (stats->n < 2)
		return NAN;
	return fmax(stats_t_95(n - 1) * stats_deviation(stats) / sqrt(n), interval_by_blocks(stats));
}
