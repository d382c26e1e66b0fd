// SPDX-License-Identifier: Apache-2.0
#include "analyze/stats/stats_series.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cases.h"

enum { MOST = 4000 };

/* What most tests start from. */
struct bench {
	struct stats_series series;
	uint64_t value[MOST];
};

static struct bench *bench_new(void)
{
	return calloc(1, sizeof(struct bench));
}

static void bench_free(struct bench *b)
{
	free(b);
}

/* The first n values in parts of n_of each; limit: as in struct stats. */
static void measure_parts(struct bench *b, size_t n, size_t n_of, uint32_t limit)
{
	struct stats stats = { .limit = limit };

	for (size_t i = 0; i < n; i++) {
		assert_int_equal(i % n_of ? 0 : stats_begin_part(&stats), 0);
		assert_int_equal(stats_add(&stats, b->value[i]), 0);
	}
	assert_int_equal(stats_series_of(&b->series, &stats), 0);
	stats_done(&stats);
}

static void measure(struct bench *b, size_t n)
{
	measure_parts(b, n, MOST, 0);
}

/* Uniform in (0, 1). */
static double uniform(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return ((double)(*state >> 11) + 0.5) / 9007199254740992.0;
}

#define CASE(name) TEST_OF_NEW(name, struct bench, b, bench_new(), bench_free(b))

CASE(percentiles_are_known_from_enough_values_on)
{
	static const uint64_t needed[] = { 5, 29, 59, 299, 2995 };

	for (size_t i = 0; i < MOST; i++)
		b->value[i] = (i * 7919) % MOST + 1;
	for (int i = 0; i < STATS_N_PERCENTILES; i++) {
		measure(b, needed[i] - 1);
		assert_int_equal(b->series.percentile[i].n_needed, needed[i]);
		assert_true(isnan(b->series.percentile[i].ns));
		measure(b, needed[i]);
		assert_false(isnan(b->series.percentile[i].ns));
	}
	measure(b, MOST);
	assert_string_equal(b->series.percentile[4].name, "p99.9");
	assert_true(b->series.percentile[0].ns == 2000 && b->series.percentile[1].ns == 3600);
	assert_true(b->series.percentile[2].ns == 3800 && b->series.percentile[3].ns == 3960);
	assert_true(b->series.percentile[4].ns == 3996);
	assert_true(b->series.min_ns == 1 && b->series.max_ns == MOST && b->series.mean_ns == 2000.5);
}

CASE(few_values_leave_much_unknown)
{
	measure(b, 0);
	assert_true(isnan(b->series.mean_ns) && isnan(b->series.interval_ns) && b->series.is_short);
	b->value[0] = 42;
	measure(b, 1);
	assert_true(b->series.mean_ns == 42 && isnan(b->series.interval_ns) && isnan(b->series.deviation_ns));
	assert_int_equal(b->series.drift, STATS_DRIFT_UNKNOWN);
	for (int i = 0; i < 8; i++)
		b->value[i] = 100;
	measure(b, 7);
	assert_true(isnan(b->series.interval_ns));
	measure(b, 8);
	assert_true(b->series.interval_ns == 0 && b->series.n_effective == 8);
}

CASE(interval_of_independent_values_is_the_textbooks)
{
	uint64_t seed = 1;
	double textbook;

	for (size_t i = 0; i < 1000; i++)
		b->value[i] = 1000000 + (uint64_t)(uniform(&seed) * 100000);
	measure(b, 1000);
	textbook = 1.962 * b->series.deviation_ns / sqrt(1000);
	assert_true(b->series.interval_ns > 0.9 * textbook && b->series.interval_ns < 1.8 * textbook);
	assert_true(b->series.n_effective > 500);
	assert_false(b->series.is_short);
}

CASE(drift_is_told_from_outliers_and_noise)
{
	uint64_t seed = 3;

	for (size_t i = 0; i < 1000; i++)
		b->value[i] = 1000000 + (uint64_t)(uniform(&seed) * 50000) + (i % 97 == 0 ? 90000000 : 0);
	measure(b, 1000);
	assert_int_equal(b->series.drift, STATS_STEADY);
	assert_int_equal(b->series.n_outliers, 11);
	assert_true(b->series.outlier_share > 0.45 && b->series.outlier_share < 0.55);
	for (size_t i = 0; i < 1000; i++)
		b->value[i] += i * 200;
	measure(b, 1000);
	assert_int_equal(b->series.drift, STATS_SLOWING);
	assert_true(b->series.drift_ratio > 1.1 && b->series.drift_ratio < 1.2);
	for (size_t i = 0; i < 1000; i++)
		b->value[i] = 2000000 - i * 300;
	measure(b, 1000);
	assert_int_equal(b->series.drift, STATS_QUICKENING);
	measure(b, 39);
	assert_int_equal(b->series.drift, STATS_DRIFT_UNKNOWN);
}

static uint64_t total(const struct stats_histogram *histogram)
{
	uint64_t n = histogram->n_above;

	for (uint32_t i = 0; i < histogram->n; i++)
		n += histogram->count[i];
	return n;
}

CASE(histograms_have_round_edges_and_every_value)
{
	const struct stats_histogram *histogram = &b->series.histogram;
	uint64_t seed = 5;

	for (size_t i = 0; i < 1000; i++)
		b->value[i] = 31800 + (uint64_t)(uniform(&seed) * 3000);
	b->value[500] = 10000000;
	measure(b, 1000);
	assert_false(histogram->is_log);
	assert_true(histogram->edge[0] == 31800 && histogram->edge[1] == 32000);
	assert_int_equal(histogram->n_above, 1);
	assert_int_equal(total(histogram), 1000);
	for (size_t i = 0; i < 1000; i++)
		b->value[i] = (uint64_t)pow(10, 3 + 4 * uniform(&seed));
	measure(b, 1000);
	assert_true(histogram->is_log && histogram->n <= STATS_BINS && histogram->n > 10);
	assert_true(histogram->edge[0] <= 1000 && histogram->edge[histogram->n] > 1e7);
	assert_int_equal(total(histogram), 1000);
	for (size_t i = 0; i < 1000; i++)
		b->value[i] = 0;
	measure(b, 1000);
	assert_int_equal(total(histogram), 1000);
	b->value[3] = UINT64_MAX;
	measure(b, 1000);
	assert_int_equal(total(histogram), 1000);
}

CASE(curve_rises_from_the_least_value_to_the_greatest)
{
	for (size_t i = 0; i < 1000; i++)
		b->value[i] = 1000 - i;
	measure(b, 1000);
	assert_true(b->series.curve_ns[0] == 1 && b->series.curve_ns[STATS_CURVE] == 1000);
	for (int i = 1; i <= STATS_CURVE; i++)
		assert_true(fabs(b->series.curve_ns[i] - 1000 * stats_curve_share(i)) <= 1);
}

/* With a histogram all but drift is known, with the error that it states. */
CASE(too_many_values_to_keep_lose_only_the_drift)
{
	struct stats_series exact;
	uint64_t seed = 17;

	for (size_t i = 0; i < MOST; i++)
		b->value[i] = 1000000 + (uint64_t)(uniform(&seed) * 300000) + (i % 101 == 0 ? 50000000 : 0);
	measure(b, MOST);
	exact = b->series;
	measure_parts(b, MOST, MOST, 100);
	assert_true(exact.is_exact && !b->series.is_exact);
	assert_int_equal(exact.drift, STATS_STEADY);
	assert_int_equal(b->series.drift, STATS_DRIFT_UNKNOWN);
	assert_true(isnan(b->series.drift_ratio));
	for (int i = 0; i < STATS_N_PERCENTILES; i++)
		assert_true(fabs(b->series.percentile[i].ns / exact.percentile[i].ns - 1) <= STATS_ERROR);
	assert_true(fabs(b->series.mean_ns / exact.mean_ns - 1) < 1e-9);
	assert_true(b->series.interval_ns > 0.5 * exact.interval_ns && b->series.interval_ns < 2 * exact.interval_ns);
	assert_int_equal(b->series.n_outliers, exact.n_outliers);
	assert_true(fabs(b->series.outlier_share - exact.outlier_share) < 0.01);
	assert_int_equal(total(&b->series.histogram), MOST);
}

/* Processes differ by chance: means that happen to rise from one to the next are not a drift, a rise in each one is. */
CASE(drift_is_found_inside_of_processes)
{
	uint64_t seed = 11;

	for (size_t i = 0; i < 1000; i++)
		b->value[i] = 1000000 + (i / 200) * 40000 + (uint64_t)(uniform(&seed) * 20000);
	measure(b, 1000);
	assert_int_equal(b->series.drift, STATS_SLOWING);
	measure_parts(b, 1000, 200, 0);
	assert_int_equal(b->series.drift, STATS_STEADY);
	assert_true(fabs(b->series.drift_ratio - 1) < 0.01);
	for (size_t i = 0; i < 1000; i++)
		b->value[i] += (i % 200) * 500;
	measure_parts(b, 1000, 200, 0);
	assert_int_equal(b->series.drift, STATS_SLOWING);
	assert_true(b->series.drift_ratio > 1.05 && b->series.drift_ratio < 1.1);
	measure_parts(b, 11, 4, 0);
	assert_int_equal(b->series.drift, STATS_DRIFT_UNKNOWN);
}
