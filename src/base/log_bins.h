/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bins of numbers, as in an HDR histogram: each power of two in 2^bits equal steps, and each number below 2^(bits + 1)
 * for itself. The middle of a bin is within 2^-(bits + 1) of all numbers in it. Owns no counts.
 */
#ifndef BASE_LOG_BINS_H
#define BASE_LOG_BINS_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

static inline size_t log_bins_of(uint64_t number, int bits)
{
	int shift = number >> bits ? 63 - __builtin_clzll(number) - bits : 0;

	return ((size_t)shift << bits) + (size_t)(number >> shift);
}

static inline uint64_t log_bins_middle(size_t bin, int bits)
{
	int shift = bin >> bits ? (int)(bin >> bits) - 1 : 0;

	return (uint64_t)(bin - ((size_t)shift << bits)) << shift | (UINT64_C(1) << shift) >> 1;
}

/* The rank, from 1, of the percentile of n numbers: that of every place that shows one. n is not 0. */
static inline uint64_t log_bins_rank(double share, uint64_t n)
{
	/* the hair keeps 0.95 * 100 from being 95.00000000000001 */
	double rank = ceil(share * (double)n * (1 - 1e-14));

	return rank<1 ? 1 : rank>(double) n ? n : (uint64_t)rank;
}

/* The number that this share of n, counted in n_bins bins, does not exceed; 0: n is. */
static inline uint64_t log_bins_quantile(const uint32_t *count, size_t n_bins, uint64_t n, double share, int bits)
{
	uint64_t rank = n ? log_bins_rank(share, n) : 0, seen = 0;

	for (size_t bin = 0; n && bin < n_bins; bin++) {
		seen += count[bin];
		if (seen >= rank)
			return log_bins_middle(bin, bits);
	}
	return 0;
}

#endif
