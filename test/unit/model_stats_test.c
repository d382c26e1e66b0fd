// SPDX-License-Identifier: Apache-2.0
#include "analyze/result/model_stats.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MOST = 4000 };

/* What most tests start from. */
struct bench {
	struct arena arena;
	struct model_series series;
	uint64_t value[MOST];
};

static struct bench *bench_new(void)
{
	return calloc(1, sizeof(struct bench));
}

static void bench_free(struct bench *b)
{
	arena_done(&b->arena);
	free(b);
}

static void measure(struct bench *b, size_t n)
{
	assert_int_equal(model_series_of(&b->series, b->value, n, &b->arena), 0);
}

/* Uniform in (0, 1). */
static double uniform(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return ((double)(*state >> 11) + 0.5) / 9007199254740992.0;
}

static void percentiles_are_known_from_enough_values_on(void **state)
{
	static const uint64_t needed[] = { 5, 29, 59, 299, 2995 };
	struct bench *b = bench_new();

	for (size_t i = 0; i < MOST; i++)
		b->value[i] = (i * 7919) % MOST + 1;
	for (int i = 0; i < MODEL_N_PERCENTILES; i++) {
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
	bench_free(b);
}

static void few_values_leave_much_unknown(void **state)
{
	struct bench *b = bench_new();

	measure(b, 0);
	assert_true(isnan(b->series.mean_ns) && isnan(b->series.interval_ns) && b->series.is_short);
	b->value[0] = 42;
	measure(b, 1);
	assert_true(b->series.mean_ns == 42 && isnan(b->series.interval_ns) && isnan(b->series.deviation_ns));
	assert_int_equal(b->series.drift, MODEL_DRIFT_UNKNOWN);
	for (int i = 0; i < 8; i++)
		b->value[i] = 100;
	measure(b, 7);
	assert_true(isnan(b->series.interval_ns));
	measure(b, 8);
	assert_true(b->series.interval_ns == 0 && b->series.n_effective == 8);
	bench_free(b);
}

static void interval_of_independent_values_is_the_textbooks(void **state)
{
	struct bench *b = bench_new();
	uint64_t seed = 1;
	double textbook;

	for (size_t i = 0; i < 1000; i++)
		b->value[i] = 1000000 + (uint64_t)(uniform(&seed) * 100000);
	measure(b, 1000);
	textbook = 1.962 * b->series.deviation_ns / sqrt(1000);
	assert_true(b->series.interval_ns > 0.9 * textbook && b->series.interval_ns < 1.8 * textbook);
	assert_true(b->series.n_effective > 500);
	assert_false(b->series.is_short);
	bench_free(b);
}

/* x[i] = phi x[i - 1] + noise, whose noise is skewed like that of latencies; the mean is 10 + 1 / (1 - phi) us. */
static void autoregressive(uint64_t *value, size_t n, double phi, uint64_t *seed)
{
	double x = 1 / (1 - phi);

	for (size_t i = 0; i < 300; i++)
		x = phi * x - log(uniform(seed));
	for (size_t i = 0; i < n; i++) {
		x = phi * x - log(uniform(seed));
		value[i] = (uint64_t)llround((x + 10) * 1000);
	}
}

struct coverage {
	double all, narrow; /* shares: of the intervals that contain the mean; of those marked as a guess */
	double worth;	    /* mean of n_effective / n */
};

static struct coverage cover(size_t n, double phi, int n_series)
{
	const double mean = (10 + 1 / (1 - phi)) * 1000;
	struct coverage coverage = { 0 };
	uint64_t seed = (uint64_t)(n + (size_t)(phi * 100)), *value = malloc(n * sizeof *value);

	for (int i = 0; i < n_series; i++) {
		double own = 0, n_effective, interval;
		bool is_short;

		autoregressive(value, n, phi, &seed);
		interval = model_interval(value, n, &n_effective, &is_short);
		for (size_t k = 0; k < n; k++)
			own += (double)value[k] / (double)n;
		coverage.all += fabs(own - mean) <= interval;
		coverage.narrow += is_short;
		coverage.worth += n_effective / (double)n;
	}
	free(value);
	coverage.all /= n_series;
	coverage.narrow /= n_series;
	coverage.worth /= n_series;
	return coverage;
}

/* 95 % is the goal. With 400 series, chance alone rarely gives less than 0.92. */
static void intervals_of_autocorrelated_series_hold_the_mean(void **state)
{
	static const struct {
		size_t n;
		double phi;
	} cases[] = { { 50, 0 },     { 200, 0 },    { 200, 0.5 },  { 1000, 0 },
		      { 1000, 0.5 }, { 1000, 0.9 }, { 5000, 0.9 }, { 5000, 0.98 } };

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct coverage coverage = cover(cases[i].n, cases[i].phi, 400);
		double worth = (1 - cases[i].phi) / (1 + cases[i].phi);

		print_message("n %zu phi %.2f: %.1f %% hold the mean, worth %.4f (true %.4f), guesses %.0f %%\n",
			      cases[i].n, cases[i].phi, 100 * coverage.all, coverage.worth, worth,
			      100 * coverage.narrow);
		assert_true(coverage.all >= 0.92 && coverage.all <= 0.995);
		assert_true(coverage.worth > 0.6 * worth && coverage.worth < 1.6 * worth);
	}
}

static void series_worth_few_values_are_marked(void **state)
{
	assert_true(cover(50, 0.98, 100).narrow > 0.9);
	assert_true(cover(200, 0, 100).narrow == 0);
}

static void drift_is_told_from_outliers_and_noise(void **state)
{
	struct bench *b = bench_new();
	uint64_t seed = 3;

	for (size_t i = 0; i < 1000; i++)
		b->value[i] = 1000000 + (uint64_t)(uniform(&seed) * 50000) + (i % 97 == 0 ? 90000000 : 0);
	measure(b, 1000);
	assert_int_equal(b->series.drift, MODEL_STEADY);
	assert_int_equal(b->series.n_outliers, 11);
	assert_true(b->series.outlier_share > 0.45 && b->series.outlier_share < 0.55);
	for (size_t i = 0; i < 1000; i++)
		b->value[i] += i * 200;
	measure(b, 1000);
	assert_int_equal(b->series.drift, MODEL_SLOWING);
	assert_true(b->series.drift_ratio > 1.1 && b->series.drift_ratio < 1.2);
	for (size_t i = 0; i < 1000; i++)
		b->value[i] = 2000000 - i * 300;
	measure(b, 1000);
	assert_int_equal(b->series.drift, MODEL_QUICKENING);
	measure(b, 39);
	assert_int_equal(b->series.drift, MODEL_DRIFT_UNKNOWN);
	bench_free(b);
}

static uint64_t total(const struct model_histogram *histogram)
{
	uint64_t n = histogram->n_above;

	for (uint32_t i = 0; i < histogram->n; i++)
		n += histogram->count[i];
	return n;
}

static void histograms_have_round_edges_and_every_value(void **state)
{
	struct bench *b = bench_new();
	const struct model_histogram *histogram = &b->series.histogram;
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
	assert_true(histogram->is_log && histogram->n <= MODEL_BINS && histogram->n > 10);
	assert_true(histogram->edge[0] <= 1000 && histogram->edge[histogram->n] > 1e7);
	assert_int_equal(total(histogram), 1000);
	for (size_t i = 0; i < 1000; i++)
		b->value[i] = 0;
	measure(b, 1000);
	assert_int_equal(total(histogram), 1000);
	b->value[3] = UINT64_MAX;
	measure(b, 1000);
	assert_int_equal(total(histogram), 1000);
	bench_free(b);
}

static void ecdf_counts_values_up_to_a_point(void **state)
{
	struct bench *b = bench_new();

	for (size_t i = 0; i < 10; i++)
		b->value[i] = 10 - i;
	measure(b, 10);
	assert_true(model_series_ecdf(&b->series, 0) == 0 && model_series_ecdf(&b->series, 10) == 1);
	assert_true(model_series_ecdf(&b->series, 3) == 0.3 && model_series_ecdf(&b->series, 3.5) == 0.3);
	bench_free(b);
}

static void ratio_says_no_difference_when_intervals_overlap(void **state)
{
	struct model_ratio ratio = model_ratio(200, 10, 100, 5);

	assert_true(ratio.is_known && ratio.is_different && ratio.value == 2);
	assert_true(ratio.low > 1.85 && ratio.low < 1.87 && ratio.high > 2.14 && ratio.high < 2.16);
	ratio = model_ratio(104, 3, 100, 2);
	assert_true(ratio.is_known && !ratio.is_different);
	ratio = model_ratio(104, NAN, 100, 2);
	assert_true(!ratio.is_known && !ratio.is_different && ratio.value == 1.04 && isnan(ratio.low));
	assert_true(isnan(model_ratio(1, 0, 0, 0).value));
	ratio = model_ratio(200, 10, 100, 5);
	assert_true(model_ratio_of_single(ratio, 1.9).is_different);
	assert_false(model_ratio_of_single(ratio, 1.02).is_different);
	assert_false(model_ratio_of_single(ratio, 0.5).is_different);
	assert_false(model_ratio_of_single(ratio, NAN).is_different);
	assert_true(model_ratio_of_single(model_ratio(100, 5, 200, 10), 0.5).is_different);
	assert_true(isnan(model_ratio(100, 50, 100, 100).high));
}

static void means_of_processes_are_a_series_of_their_own(void **state)
{
	static const double sum[] = { 1000, 1200, 1100 }, uneven[] = { 1000, 600, 2200 };
	static const size_t n_of[] = { 100, 100, 100 }, n_uneven[] = { 100, 50, 200 };

	/* deviation 1, t of 2 degrees of freedom 4.303 */
	assert_true(fabs(model_interval_of_rounds(sum, n_of, 3) - 4.3027 / sqrt(3)) < 0.001);
	/* means 10, 12 and 11 again, weighted by their size: in total 10.857, residuals -85.7, 57.1, 28.6 */
	assert_true(fabs(model_interval_of_rounds(uneven, n_uneven, 3) - 4.3027 * sqrt(11428.57 * 1.5) / 350) < 0.001);
	assert_true(isnan(model_interval_of_rounds(sum, n_of, 1)) && isnan(model_interval_of_rounds(sum, n_of, 0)));
}

/* Processes differ by chance: means that happen to rise from one to the next are not a drift, a rise in each one is. */
static void drift_is_found_inside_of_processes(void **state)
{
	static const size_t n_of[] = { 200, 200, 200, 200, 200 };
	struct bench *b = bench_new();
	uint64_t seed = 11;

	for (size_t i = 0; i < 1000; i++)
		b->value[i] = 1000000 + (i / 200) * 40000 + (uint64_t)(uniform(&seed) * 20000);
	measure(b, 1000);
	assert_int_equal(b->series.drift, MODEL_SLOWING);
	assert_int_equal(model_series_of_rounds(&b->series, b->value, n_of, 5, &b->arena), 0);
	assert_int_equal(b->series.drift, MODEL_STEADY);
	assert_true(fabs(b->series.drift_ratio - 1) < 0.01);
	for (size_t i = 0; i < 1000; i++)
		b->value[i] += (i % 200) * 500;
	assert_int_equal(model_series_of_rounds(&b->series, b->value, n_of, 5, &b->arena), 0);
	assert_int_equal(b->series.drift, MODEL_SLOWING);
	assert_true(b->series.drift_ratio > 1.05 && b->series.drift_ratio < 1.1);
	assert_int_equal(model_series_of_rounds(&b->series, b->value, (size_t[]){ 3, 5, 3 }, 3, &b->arena), 0);
	assert_int_equal(b->series.drift, MODEL_DRIFT_UNKNOWN);
	bench_free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(percentiles_are_known_from_enough_values_on),
		cmocka_unit_test(few_values_leave_much_unknown),
		cmocka_unit_test(interval_of_independent_values_is_the_textbooks),
		cmocka_unit_test(intervals_of_autocorrelated_series_hold_the_mean),
		cmocka_unit_test(series_worth_few_values_are_marked),
		cmocka_unit_test(drift_is_told_from_outliers_and_noise),
		cmocka_unit_test(histograms_have_round_edges_and_every_value),
		cmocka_unit_test(ecdf_counts_values_up_to_a_point),
		cmocka_unit_test(ratio_says_no_difference_when_intervals_overlap),
		cmocka_unit_test(drift_is_found_inside_of_processes),
		cmocka_unit_test(means_of_processes_are_a_series_of_their_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
