// SPDX-License-Identifier: Apache-2.0
/* A radix sort. Bytes that all values share cost one pass of counting. */
#include "analyze/stats/stats_sort.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { SMALL = 64 };

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

	if (n < SMALL || !scratch) {
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
