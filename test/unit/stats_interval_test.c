// SPDX-License-Identifier: Apache-2.0
#include "analyze/stats/stats_interval.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cases.h"

/* Uniform in (0, 1). */
static double uniform(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return ((double)(*state >> 11) + 0.5) / 9007199254740992.0;
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
		struct stats_interval interval;
		double own = 0;

		autoregressive(value, n, phi, &seed);
		interval = stats_interval_of(value, n);
		for (size_t k = 0; k < n; k++)
			own += (double)value[k] / (double)n;
		coverage.all += fabs(own - mean) <= interval.half;
		coverage.narrow += interval.is_short;
		coverage.worth += interval.n_effective / (double)n;
	}
	free(value);
	coverage.all /= n_series;
	coverage.narrow /= n_series;
	coverage.worth /= n_series;
	return coverage;
}

/* 95 % is the goal. With 400 series, chance alone rarely gives less than 0.92. */
TEST(intervals_of_autocorrelated_series_hold_the_mean)
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

TEST(series_worth_few_values_are_marked)
{
	assert_true(cover(50, 0.98, 100).narrow > 0.9);
	assert_true(cover(200, 0, 100).narrow == 0);
}

TEST(means_of_processes_are_a_series_of_their_own)
{
	static const double sum[] = { 1000, 1200, 1100 }, uneven[] = { 1000, 600, 2200 };
	static const size_t n_of[] = { 100, 100, 100 }, n_uneven[] = { 100, 50, 200 };

	/* deviation 1, t of 2 degrees of freedom 4.303 */
	assert_true(fabs(stats_interval_of_rounds(sum, n_of, 3) - 4.3027 / sqrt(3)) < 0.001);
	/* means 10, 12 and 11 again, weighted by their size: in total 10.857, residuals -85.7, 57.1, 28.6 */
	assert_true(fabs(stats_interval_of_rounds(uneven, n_uneven, 3) - 4.3027 * sqrt(11428.57 * 1.5) / 350) < 0.001);
	assert_true(isnan(stats_interval_of_rounds(sum, n_of, 1)) && isnan(stats_interval_of_rounds(sum, n_of, 0)));
}

/* Textbook: 5 values, s = sqrt(2.5), t(4) = 2.7764. */
TEST(students_t_is_the_tables)
{
	static const double df[] = { 1, 2, 5, 10, 19, 30, 100 },
			    t[] = { 12.706, 4.303, 2.571, 2.228, 2.093, 2.042, 1.984 };

	for (int i = 0; i < 7; i++)
		assert_true(fabs(stats_t_95(df[i]) - t[i]) < 0.001);
	assert_true(stats_t_95(2.5) < stats_t_95(2) && stats_t_95(2.5) > stats_t_95(3));
	assert_true(fabs(stats_t_95(9.999) - stats_t_95(10)) < 0.001);
	assert_true(stats_t_95(0.1) == stats_t_95(1));
}
