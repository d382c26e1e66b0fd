// SPDX-License-Identifier: Apache-2.0
#include "analyze/stats/stats.h"

#include <math.h>
#include <stdlib.h>

#include "analyze/stats/stats_sort.h"
#include "analyze/store/keys.h"
#include "cases.h"

static uint64_t random_next(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 20;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

TEST(percentile_is_the_nearest_rank)
{
	struct stats stats = { 0 };

	for (uint64_t i = 100; i >= 1; i--)
		stats_add(&stats, i * 10);
	assert_int_equal(stats_percentile(&stats, 0.5), 500);
	assert_int_equal(stats_percentile(&stats, 0.9), 900);
	assert_int_equal(stats_percentile(&stats, 0.99), 990);
	assert_int_equal(stats_percentile(&stats, 0.991), 1000);
	assert_int_equal(stats_percentile(&stats, 1), 1000);
	assert_int_equal(stats_percentile(&stats, 0.0001), 10);
	stats_add(&stats, 5);
	assert_int_equal(stats_percentile(&stats, 0.0001), 5);
	assert_int_equal(stats.min, 5);
	assert_int_equal(stats.max, 1000);
	stats_done(&stats);
}

TEST(nothing_has_no_mean_and_one_value_no_interval)
{
	struct stats stats = { 0 };

	assert_true(isnan(stats_mean(&stats)));
	assert_int_equal(stats_percentile(&stats, 0.5), 0);
	stats_add(&stats, 42);
	assert_true(stats_mean(&stats) == 42);
	assert_int_equal(stats_percentile(&stats, 0.5), 42);
	assert_true(isnan(stats_deviation(&stats)));
	assert_true(isnan(stats_interval(&stats).half));
	stats_done(&stats);
}

/*
 * The share of intervals that contain the mean, 95 % expected: 300 series with autocorrelation phi, held in a histogram
 * from the 100th value on.
 */
static double coverage(size_t n, double phi, int n_parts)
{
	uint64_t seed = 5;
	int hits = 0;

	for (int k = 0; k < 300; k++) {
		struct stats stats = { .limit = 100 };
		double x = 0;

		for (int part = 0; part < n_parts; part++) {
			struct stats own = { .limit = 100 };

			for (size_t i = 0; i < n / (size_t)n_parts + 50; i++) {
				double noise = 0;

				for (int j = 0; j < 12; j++)
					noise += (double)(random_next(&seed) & 0xffff) / 65536 - 0.5;
				x = phi * x + noise * sqrt(1 - phi * phi);
				if (i >= 50)
					stats_add(&own, (uint64_t)(1000000 + 50000 * x));
			}
			stats_merge(&stats, &own);
			stats_done(&own);
		}
		hits += fabs(stats_mean(&stats) - 1000000) <= stats_interval(&stats).half;
		stats_done(&stats);
	}
	return hits / 300.0;
}

TEST(intervals_hold_the_mean_of_values_that_are_alike)
{
	assert_true(coverage(4000, 0, 1) > 0.93);
	assert_true(coverage(4000, 0.9, 1) > 0.91);
	assert_true(coverage(4000, 0.95, 1) > 0.91);
	assert_true(coverage(4000, 0.9, 4) > 0.91);
	assert_true(coverage(500, 0.8, 1) > 0.91);
}

/* Textbook: s = sqrt(2.5) of 5 values; t(11) = 2.2010, t(30) = 2.0423. Values that alternate are worth no more. */
TEST(interval_is_student_t)
{
	struct stats stats = { 0 };

	for (uint64_t i = 1; i <= 5; i++)
		stats_add(&stats, i);
	assert_true(fabs(stats_deviation(&stats) - sqrt(2.5)) < 1e-12);
	assert_true(isnan(stats_interval(&stats).half));
	stats_done(&stats);
	for (int n = 12; n <= 31; n += 19) {
		double textbook;

		stats = (struct stats){ 0 };
		for (int i = 0; i < n; i++)
			stats_add(&stats, (uint64_t)(i % 2));
		textbook = (n == 31 ? 2.0423 : 2.2010) * stats_deviation(&stats) / sqrt(n);
		assert_true(stats_interval(&stats).half >= textbook * 0.9999);
		assert_true(stats_interval(&stats).half < textbook * 1.15);
		stats_done(&stats);
	}
}

/* A mean of a second, a deviation of nanoseconds: a plain sum of squares would lose all digits. */
TEST(deviation_survives_large_values)
{
	struct stats stats = { 0 };

	for (uint64_t i = 0; i < 1000; i++)
		stats_add(&stats, 100000000000 + i % 2 * 2);
	assert_true(fabs(stats_deviation(&stats) - 1.0005) < 1e-3);
	assert_true(stats_mean(&stats) == 100000000001.0);
	stats_done(&stats);
}

TEST(many_values_stay_within_the_stated_error)
{
	enum { N = 200000 };
	struct stats stats = { .limit = 1000 };
	uint64_t seed = 1, *value = malloc(N * sizeof *value), sum = 0;

	for (int i = 0; i < N; i++) {
		value[i] = random_next(&seed) >> (random_next(&seed) % 44);
		sum += value[i];
		assert_int_equal(stats_add(&stats, value[i]), 0);
	}
	qsort(value, N, sizeof *value, compare);
	assert_false(stats_is_exact(&stats));
	assert_int_equal(stats.sum, sum);
	assert_int_equal(stats.max, value[N - 1]);
	for (int k = 1; k < 1000; k++) {
		double exact = (double)value[N / 1000 * k - 1];

		assert_true(fabs((double)stats_percentile(&stats, k / 1000.0) - exact) <= exact * STATS_ERROR);
	}
	free(value);
	stats_done(&stats);
}

TEST(extreme_values_have_a_bucket)
{
	struct stats stats = { .limit = 1 };

	stats_add(&stats, 0);
	stats_add(&stats, UINT64_MAX);
	stats_add(&stats, UINT64_MAX);
	stats_add(&stats, (uint64_t)1 << 63);
	assert_false(stats_is_exact(&stats));
	assert_int_equal(stats_percentile(&stats, 0.25), 0);
	assert_true(stats_percentile(&stats, 0.5) >= (uint64_t)1 << 63);
	assert_int_equal(stats_percentile(&stats, 1), UINT64_MAX);
	assert_int_equal(stats.sum, UINT64_MAX);
	stats_done(&stats);
}

/* However the values are distributed, the merged parts equal the whole. */
TEST(merged_parts_are_the_whole)
{
	static const uint32_t limits[][2] = { { 0, 0 }, { 100, 0 }, { 0, 100 }, { 100, 100 } };

	for (int i = 0; i < 4; i++) {
		struct stats whole = { .limit = 100000 }, a = { .limit = limits[i][0] }, b = { .limit = limits[i][1] };
		uint64_t seed = 7;

		for (int k = 0; k < 3000; k++) {
			uint64_t value = 1000000 + random_next(&seed) % 100000;

			stats_add(&whole, value);
			stats_add(k % 3 ? &a : &b, value);
		}
		assert_int_equal(stats_merge(&a, &b), 0);
		assert_int_equal(a.n, whole.n);
		assert_int_equal(a.sum, whole.sum);
		assert_int_equal(a.min, whole.min);
		assert_int_equal(a.max, whole.max);
		assert_true(fabs(stats_deviation(&a) / stats_deviation(&whole) - 1) < 1e-9);
		assert_true(fabs((double)stats_percentile(&a, 0.9) / (double)stats_percentile(&whole, 0.9) - 1) <=
			    STATS_ERROR);
		stats_done(&whole);
		stats_done(&a);
		stats_done(&b);
	}
}

TEST(buckets_hold_every_value_between_their_edges)
{
	static const uint32_t limits[] = { 0, 100 };

	for (int k = 0; k < 2; k++) {
		struct stats stats = { .limit = limits[k] };
		uint64_t seed = 9, count[16], sum = 0, exact[16] = { 0 };

		for (int i = 0; i < 5000; i++)
			stats_add(&stats, 1000 + random_next(&seed) % 1000000);
		stats_buckets(&stats, 16, count);
		seed = 9;
		for (int i = 0; i < 5000; i++) {
			uint64_t value = 1000 + random_next(&seed) % 1000000;
			int at = 0;

			while (at < 15 && (double)value >= stats_edge(stats.min, stats.max, 16, (size_t)at + 1))
				at++;
			exact[at]++;
		}
		for (int i = 0; i < 16; i++) {
			sum += count[i];
			/* in a histogram, values near an edge may fall on its other side */
			assert_in_range(count[i] + (k ? 40 : 0), exact[i], exact[i] + (k ? 80 : 0));
		}
		assert_int_equal(sum, 5000);
		stats_done(&stats);
	}
}

TEST(sort_sorts)
{
	enum { N = 5000 };
	uint64_t *value = malloc(N * sizeof *value), *expect = malloc(N * sizeof *value),
		 *scratch = malloc(N * sizeof *value);
	uint64_t seed = 3;

	for (size_t n = 0; n < N; n = n * 2 + 1) {
		for (size_t i = 0; i < n; i++)
			expect[i] = value[i] = random_next(&seed) >> (n % 40);
		qsort(expect, n, sizeof *expect, compare);
		stats_sort(value, n, scratch);
		for (size_t i = 0; i < n; i++)
			assert_int_equal(value[i], expect[i]);
	}
	free(value);
	free(expect);
	free(scratch);
}

TEST(keys_are_dense_and_stay)
{
	struct keys keys = { 0 };

	assert_int_equal(keys_find(&keys, 1, 2), KEYS_NONE);
	for (uint32_t i = 0; i < 10000; i++)
		assert_int_equal(keys_number(&keys, i / 100, i % 100), i);
	for (uint32_t i = 0; i < 10000; i++) {
		assert_int_equal(keys_number(&keys, i / 100, i % 100), i);
		assert_int_equal(keys_find(&keys, i / 100, i % 100), i);
	}
	assert_int_equal(keys_find(&keys, 100, 0), KEYS_NONE);
	keys_done(&keys);
}
