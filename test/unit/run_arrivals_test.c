// SPDX-License-Identifier: Apache-2.0
#include "cases.h"
#include "model/run/run_worker.h"

enum { N = 100000 };

/* The gaps between the arrivals of a process with 1000 a second, in ms. */
static void make_gaps(double *gap, uint64_t seed)
{
	struct run_arrivals arrivals;
	uint64_t last = 0, now;

	run_arrivals_start(&arrivals, 1000, seed);
	for (int i = 0; i < N; i++, last = now) {
		now = run_arrivals_next(&arrivals);
		assert_true(now >= last);
		gap[i] = (double)(now - last) / 1e6;
	}
}

static double gap[N];

TEST(gaps_have_the_mean_and_the_deviation_of_the_exponential)
{
	double sum = 0, squares = 0, mean;

	make_gaps(gap, 1);
	for (int i = 0; i < N; i++) {
		sum += gap[i];
		squares += gap[i] * gap[i];
	}
	mean = sum / N;
	assert_true(mean > 0.985 && mean < 1.015);
	/* variance = mean squared: squares / n = 2 mean^2 */
	assert_true(squares / N > 1.94 && squares / N < 2.06);
}

TEST(a_gap_tells_nothing_of_the_next_one)
{
	double product = 0;

	make_gaps(gap, 2);
	for (int i = 1; i < N; i++)
		product += (gap[i] - 1) * (gap[i - 1] - 1);
	assert_true(product / N > -0.015 && product / N < 0.015);
}

TEST(short_and_long_gaps_come_as_often_as_they_should)
{
	int n_short = 0, n_long = 0;

	make_gaps(gap, 3);
	for (int i = 0; i < N; i++) {
		n_short += gap[i] < 0.1;
		n_long += gap[i] > 3;
	}
	assert_in_range(n_short, 9200, 9850); /* 1 - e^-0.1 = 9.52 % */
	assert_in_range(n_long, 4750, 5210);  /* e^-3 = 4.98 % */
}

/* The exact figures matter: they must be the same on every machine and in every version. */
TEST(a_seed_gives_the_same_times_for_ever)
{
	struct run_arrivals arrivals, other;
	uint64_t first;

	run_arrivals_start(&arrivals, 1000, 1);
	run_arrivals_start(&other, 1000, 2);
	first = run_arrivals_next(&arrivals);
	assert_int_equal(first, 836005);
	assert_true(first != run_arrivals_next(&other));
}
