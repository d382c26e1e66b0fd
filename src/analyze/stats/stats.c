// SPDX-License-Identifier: Apache-2.0
/*
 * Values up to a limit, then a histogram: 128 equal steps between one power of two and the next. Mean, deviation and
 * interval are made from the values when they are asked for. With a histogram they come from sums that each value is
 * added to, and the interval from the means of 32 to 64 blocks of consecutive values.
 */
#include "analyze/stats/stats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/stats/stats_sort.h"
#include "base/log_bins.h"

enum { STEP_BITS = 7, STEPS = 1 << STEP_BITS, GROUPS = 64 - STEP_BITS + 1, BUCKETS = GROUPS * STEPS, BLOCKS = 64 };

/* What stands for the values when there are too many to keep. */
struct stats_many {
	uint64_t *count[GROUPS];       /* NULL where all are 0 */
	double base, d_sum, d_squares; /* differences to the first value: their sum, that of their squares */
	double block[BLOCKS];	       /* sums of these over blocks of per_block values, in the order of adding */
	double open;		       /* the sum of the n_open values of the block that is not full */
	uint64_t per_block, n_open, n_settled; /* n_settled: values that the sums are of */
	uint32_t n_blocks;
};

static uint64_t count_at(const struct stats_many *many, size_t bucket)
{
	const uint64_t *group = many->count[bucket / STEPS];

	return group ? group[bucket % STEPS] : 0;
}

static int count(struct stats_many *many, size_t bucket, uint64_t n)
{
	uint64_t **group = &many->count[bucket / STEPS];

	if (!*group && !(*group = calloc(STEPS, sizeof **group)))
		return -ENOMEM;
	(*group)[bucket % STEPS] += n;
	return 0;
}

/* Two blocks become one; an odd one at the end is left off. */
static void halve_blocks(struct stats_many *many)
{
	many->n_blocks /= 2;
	many->per_block *= 2;
	for (uint32_t i = 0; i < many->n_blocks; i++)
		many->block[i] = many->block[2 * i] + many->block[2 * i + 1];
}

static void add_to_block(struct stats_many *many, double d)
{
	many->per_block += !many->per_block;
	many->open += d;
	if (++many->n_open < many->per_block)
		return;
	if (many->n_blocks == BLOCKS) {
		halve_blocks(many);
		if (many->n_open < many->per_block)
			return;
	}
	many->block[many->n_blocks++] = many->open;
	many->open = 0;
	many->n_open = 0;
}

static int add_to_many(struct stats_many *many, uint64_t value)
{
	size_t bucket = log_bins_of(value, STEP_BITS);
	uint64_t *group = many->count[bucket / STEPS];
	double d;

	if (__builtin_expect(group != NULL, 1))
		group[bucket % STEPS]++;
	else if (count(many, bucket, 1))
		return -ENOMEM;
	if (!many->n_settled++)
		many->base = (double)value;
	d = (double)value - many->base;
	many->d_sum += d;
	many->d_squares += d * d;
	add_to_block(many, d);
	return 0;
}

static void forget_values(struct stats *stats)
{
	free(stats->value);
	free(stats->sorted);
	free(stats->part);
	stats->value = stats->sorted = NULL;
	stats->part = NULL;
	stats->n_more = stats->capacity = 0;
}

static void free_many(struct stats_many *many)
{
	for (size_t i = 0; many && i < GROUPS; i++)
		free(many->count[i]);
	free(many);
}

static int make_histogram(struct stats *stats)
{
	struct stats_many *many = calloc(1, sizeof *many);
	int rc = many ? 0 : -ENOMEM;

	for (size_t i = 0; !rc && i < stats->n; i++)
		rc = add_to_many(many, stats->value[i]);
	if (rc) {
		free_many(many);
		return rc;
	}
	forget_values(stats);
	stats->many = many;
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

static int put(struct stats *stats, uint64_t value)
{
	if (stats->many)
		return add_to_many(stats->many, value);
	if (stats->n == stats->capacity) {
		if (make_room(stats))
			return -ENOMEM;
		if (stats->many)
			return add_to_many(stats->many, value);
	}
	stats->value[stats->n] = value;
	free(stats->sorted);
	stats->sorted = NULL;
	return 0;
}

int stats_add(struct stats *stats, uint64_t value)
{
	if (put(stats, value))
		return -ENOMEM;
	if (!stats->n)
		stats->min = stats->max = value;
	stats->n++;
	stats->sum = stats_sum(stats->sum, value);
	if (value < stats->min)
		stats->min = value;
	if (value > stats->max)
		stats->max = value;
	return 0;
}

int stats_begin_part(struct stats *stats)
{
	size_t *part;

	if (stats->many || !stats->n || (stats->n_more && stats->part[stats->n_more - 1] == stats->n))
		return 0;
	/* room for a power of two of them */
	if (!(stats->n_more & (stats->n_more - 1))) {
		part = realloc(stats->part, (stats->n_more ? 2 * stats->n_more : 1) * sizeof *part);
		if (!part)
			return -ENOMEM;
		stats->part = part;
	}
	stats->part[stats->n_more++] = stats->n;
	return 0;
}

const uint64_t *stats_part(const struct stats *stats, size_t i, size_t *n)
{
	size_t begin = i ? stats->part[i - 1] : 0, end = i < stats->n_more ? stats->part[i] : stats->n;

	*n = end - begin;
	return *n ? stats->value + begin : NULL;
}

/* Those of another follow, as long as ours; what was in a block that is not full is in none then. */
static void merge_blocks(struct stats_many *to, const struct stats_many *from, double shift)
{
	struct stats_many more = *from;

	if (!to->n_blocks)
		to->per_block = more.per_block;
	while (more.n_blocks && to->per_block < more.per_block)
		halve_blocks(to);
	while (to->n_blocks && (more.per_block < to->per_block || to->n_blocks + more.n_blocks > BLOCKS)) {
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

static void merge_many(struct stats *to, const struct stats *from)
{
	struct stats_many *own = to->many;
	const struct stats_many *other = from->many;
	double shift = other->base - own->base;

	if (!to->n) {
		to->min = from->min;
		to->max = from->max;
		own->base = other->base;
		shift = 0;
	}
	if (from->min < to->min)
		to->min = from->min;
	if (from->max > to->max)
		to->max = from->max;
	merge_blocks(own, other, shift);
	own->d_squares += other->d_squares + 2 * shift * other->d_sum + shift * shift * (double)from->n;
	own->d_sum += other->d_sum + shift * (double)from->n;
	to->sum = stats_sum(to->sum, from->sum);
	to->n += from->n;
	own->n_settled = to->n;
}

static int merge_values(struct stats *to, const struct stats *from)
{
	int rc = 0;

	for (size_t i = 0; !rc && i <= from->n_more; i++) {
		size_t n;
		const uint64_t *value = stats_part(from, i, &n);

		rc = stats_begin_part(to);
		for (size_t k = 0; !rc && k < n; k++)
			rc = stats_add(to, value[k]);
	}
	return rc;
}

int stats_merge(struct stats *to, const struct stats *from)
{
	int rc = 0;

	if (!from->many)
		return merge_values(to, from);
	if (!to->many && (rc = make_histogram(to)))
		return rc;
	for (size_t i = 0; !rc && i < BUCKETS; i++)
		if (count_at(from->many, i))
			rc = count(to->many, i, count_at(from->many, i));
	merge_many(to, from);
	return rc;
}

void stats_done(struct stats *stats)
{
	free_many(stats->many);
	stats->many = NULL;
	forget_values(stats);
}

/* Without memory for a copy the values themselves are sorted: only the interval is another one then. */
static const uint64_t *sorted(struct stats *stats)
{
	uint64_t *copy = malloc(stats->n * sizeof *copy), *scratch = malloc(stats->n * sizeof *scratch);

	if (!copy) {
		stats_sort(stats->value, stats->n, scratch);
		free(scratch);
		return stats->value;
	}
	memcpy(copy, stats->value, stats->n * sizeof *copy);
	stats_sort(copy, stats->n, scratch);
	free(scratch);
	return stats->sorted = copy;
}

static uint64_t histogram_rank(const struct stats *stats, uint64_t rank)
{
	uint64_t seen = 0, value;
	size_t bucket = 0;

	while (bucket < BUCKETS - 1 && (seen += count_at(stats->many, bucket)) < rank)
		bucket++;
	value = log_bins_middle(bucket, STEP_BITS);
	return value < stats->min ? stats->min : value > stats->max ? stats->max : value;
}

uint64_t stats_rank(struct stats *stats, uint64_t rank)
{
	if (rank <= 1)
		return stats->min;
	if (rank >= stats->n)
		return stats->max;
	if (stats->many)
		return histogram_rank(stats, rank);
	return (stats->sorted ? stats->sorted : sorted(stats))[rank - 1];
}

uint64_t stats_percentile(struct stats *stats, double share)
{
	return stats->n ? stats_rank(stats, log_bins_rank(share, stats->n)) : 0;
}

static uint64_t histogram_below(const struct stats *stats, double edge, double *sum)
{
	uint64_t n = 0;

	for (size_t i = 0; i < BUCKETS && (double)log_bins_middle(i, STEP_BITS) < edge; i++) {
		n += count_at(stats->many, i);
		*sum += (double)count_at(stats->many, i) * (double)log_bins_middle(i, STEP_BITS);
	}
	return n;
}

/* The index of the first value that is not below; n: all are. */
static uint64_t first_from(const uint64_t *value, uint64_t n, double edge)
{
	uint64_t low = 0;

	while (low < n) {
		uint64_t middle = low + (n - low) / 2;

		if ((double)value[middle] < edge)
			low = middle + 1;
		else
			n = middle;
	}
	return low;
}

uint64_t stats_below(struct stats *stats, double edge, double *sum)
{
	double own = 0;
	uint64_t n = 0;

	if (stats->many) {
		n = histogram_below(stats, edge, &own);
	} else if (stats->n) {
		const uint64_t *value = stats->sorted ? stats->sorted : sorted(stats);

		n = first_from(value, stats->n, edge);
		for (uint64_t i = 0; sum && i < n; i++)
			own += (double)value[i];
	}
	if (sum)
		*sum = own;
	return n;
}

double stats_edge(uint64_t min, uint64_t max, size_t n, size_t i)
{
	double low = min ? (double)min : 1, high = (double)max > low ? (double)max : low;

	return low * pow(high / low, (double)i / (double)n);
}

void stats_buckets(struct stats *stats, size_t n, uint64_t *number)
{
	uint64_t before = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t below =
		    i + 1 < n ? stats_below(stats, stats_edge(stats->min, stats->max, n, i + 1), NULL) : stats->n;

		number[i] = below - before;
		before = below;
	}
}

double stats_mean(const struct stats *stats)
{
	double sum = 0;

	if (!stats->n)
		return NAN;
	if (stats->many)
		return stats->many->base + stats->many->d_sum / (double)stats->n;
	for (size_t i = 0; i < stats->n; i++)
		sum += (double)stats->value[i] - (double)stats->value[0];
	return (double)stats->value[0] + sum / (double)stats->n;
}

static double variance(const struct stats *stats)
{
	double n = (double)stats->n, variance;

	if (!stats->many)
		return stats_variance_of(stats->value, stats->n);
	variance = (stats->many->d_squares - stats->many->d_sum * stats->many->d_sum / n) / (n - 1);
	return variance > 0 ? variance : 0;
}

double stats_deviation(const struct stats *stats)
{
	return stats->n < 2 ? NAN : sqrt(variance(stats));
}

struct stats_interval stats_interval(const struct stats *stats)
{
	double mean[BLOCKS];

	if (!stats->many)
		return stats_interval_of(stats->value, stats->n);
	for (uint32_t i = 0; i < stats->many->n_blocks; i++)
		mean[i] = stats->many->block[i] / (double)stats->many->per_block;
	return stats_interval_of_blocks(mean, stats->many->n_blocks, stats->n, variance(stats));
}
