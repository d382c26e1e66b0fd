// SPDX-License-Identifier: Apache-2.0
/*
 * The buckets of a histogram are those from the lowest to the highest that was hit. Memory grows with them, because
 * most histograms have few and some programs keep a quarter of a million; all behind the highest are 0.
 * Knows no unit but nanoseconds on the way in and seconds on the way out.
 */
#include "analyze/stats/exponential.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int32_t index_of(uint64_t ns)
{
	double seconds = (double)(ns ? ns : 1) / 1e9;

	return (int32_t)ceil(log2(seconds) * (1 << EXPONENTIAL_SCALE)) - 1;
}

/* Room for n buckets; at most EXPONENTIAL_BUCKETS. */
static bool reserve(struct exponential *histogram, uint32_t n)
{
	uint32_t capacity = (n + 31) / 32 * 32;
	uint64_t *grown;

	if (n <= histogram->capacity)
		return true;
	grown = realloc(histogram->bucket, capacity * sizeof *grown);
	if (!grown)
		return false;
	memset(grown + histogram->capacity, 0, (capacity - histogram->capacity) * sizeof *grown);
	histogram->bucket = grown;
	histogram->capacity = capacity;
	return true;
}

/* Joins buckets two by two: (b^i, b^(i+1)] lies in the bucket i / 2, rounded down, of the square of the base. */
static void halve(struct exponential *histogram)
{
	int32_t first = histogram->first >> 1;
	uint64_t joined[EXPONENTIAL_BUCKETS] = { 0 };

	for (uint32_t i = 0; i < histogram->n; i++)
		joined[((histogram->first + (int32_t)i) >> 1) - first] += histogram->bucket[i];
	if (histogram->n) {
		histogram->n = (uint32_t)(((histogram->first + (int32_t)histogram->n - 1) >> 1) - first) + 1;
		memcpy(histogram->bucket, joined, histogram->capacity * sizeof *joined);
	}
	histogram->first = first;
	histogram->halved++;
}

/* Makes room for the buckets from first to last; both at the histogram's scale, which may be halved. False: out of
 * memory. */
static bool widen(struct exponential *histogram, int32_t *first, int32_t *last)
{
	for (;;) {
		int32_t low = histogram->n && histogram->first < *first ? histogram->first : *first;
		int32_t high = histogram->first + (int32_t)histogram->n - 1;
		uint32_t shift;

		high = histogram->n && high > *last ? high : *last;
		if (high - low < EXPONENTIAL_BUCKETS) {
			if (!reserve(histogram, (uint32_t)(high - low) + 1))
				return false;
			shift = histogram->n ? (uint32_t)(histogram->first - low) : 0;
			memmove(histogram->bucket + shift, histogram->bucket, histogram->n * sizeof *histogram->bucket);
			memset(histogram->bucket, 0, shift * sizeof *histogram->bucket);
			histogram->first = low;
			histogram->n = (uint32_t)(high - low) + 1;
			return true;
		}
		halve(histogram);
		*first >>= 1;
		*last >>= 1;
	}
}

bool exponential_add(struct exponential *histogram, uint64_t ns, uint64_t weight)
{
	int32_t at = index_of(ns) >> histogram->halved, last = at;

	if (!widen(histogram, &at, &last))
		return false;
	histogram->bucket[at - histogram->first] += weight;
	return true;
}

bool exponential_merge(struct exponential *to, const struct exponential *from)
{
	int32_t first, last;
	uint32_t shift;

	if (!from->n)
		return true;
	while (to->halved < from->halved)
		halve(to);
	shift = to->halved - from->halved;
	first = from->first >> shift;
	last = (from->first + (int32_t)from->n - 1) >> shift;
	if (!widen(to, &first, &last))
		return false;
	shift = to->halved - from->halved;
	for (uint32_t i = 0; i < from->n; i++)
		to->bucket[((from->first + (int32_t)i) >> shift) - to->first] += from->bucket[i];
	return true;
}

double exponential_quantile(const struct exponential *histogram, double share)
{
	double total = 0, before = 0;

	for (uint32_t i = 0; i < histogram->n; i++)
		total += (double)histogram->bucket[i];
	for (uint32_t i = 0; i < histogram->n; i++) {
		double own = (double)histogram->bucket[i], rank = share * total - before;

		if (own > 0 && rank <= own)
			return 1e9 *
			       exp2(ldexp(histogram->first + (double)i + rank / own, -exponential_scale(histogram)));
		before += own;
	}
	return NAN;
}

void exponential_clear(struct exponential *histogram)
{
	if (histogram->bucket)
		memset(histogram->bucket, 0, histogram->n * sizeof *histogram->bucket);
	histogram->n = histogram->halved = 0;
	histogram->first = 0;
}

void exponential_done(struct exponential *histogram)
{
	free(histogram->bucket);
	*histogram = (struct exponential){ 0 };
}
