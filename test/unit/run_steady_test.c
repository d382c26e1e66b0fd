// SPDX-License-Identifier: Apache-2.0
#include "cases.h"
#include "model/run/run_worker.h"

enum { MS = 1000000 };

/* Adds inferences of one duration in sequence until times are steady or n are added. Returns how many were added. */
static int play(struct run_steady *steady, uint64_t *now_ns, uint64_t duration_ns, int n)
{
	for (int i = 1; i <= n; i++) {
		*now_ns += duration_ns;
		if (run_steady_add(steady, *now_ns, duration_ns))
			return i;
	}
	return 0;
}

TEST(even_times_are_steady_after_three_windows)
{
	struct run_steady steady;
	uint64_t now_ns = 7;

	run_steady_start(&steady, now_ns);
	assert_int_equal(play(&steady, &now_ns, 1 * MS, 1000), 150);
	assert_true(run_steady_spread(&steady) == 0);
}

TEST(a_window_has_five_inferences_however_long_they_take)
{
	struct run_steady steady;
	uint64_t now_ns = 0;

	run_steady_start(&steady, now_ns);
	assert_int_equal(play(&steady, &now_ns, 700 * MS, 100), 15);
}

TEST(times_that_fall_are_not_steady)
{
	struct run_steady steady;
	uint64_t now_ns = 0, duration_ns = 20 * MS;

	run_steady_start(&steady, now_ns);
	for (int i = 0; i < 60; i++, duration_ns -= duration_ns / 100)
		assert_int_equal(play(&steady, &now_ns, duration_ns, 1), 0);
	assert_true(run_steady_spread(&steady) > STEADY_LIMIT);
	/* and become so when they stop falling */
	assert_in_range(play(&steady, &now_ns, duration_ns, 100), 10, 21);
}

TEST(one_slow_inference_in_a_window_does_not_matter)
{
	struct run_steady steady;
	uint64_t now_ns = 0;
	int n = 0;

	run_steady_start(&steady, now_ns);
	while (!play(&steady, &now_ns, n % 10 ? 1 * MS : 6 * MS, 1) && n < 1000)
		n++;
	assert_in_range(n, 90, 105);
}

TEST(too_few_windows_have_no_spread)
{
	struct run_steady steady;
	uint64_t now_ns = 0;

	run_steady_start(&steady, now_ns);
	play(&steady, &now_ns, 1 * MS, 149);
	assert_true(run_steady_spread(&steady) < 0);
}

/*
 * 50 ms of 1 us: far more than are kept. The first half is slow, so the median shows whether the whole window counts.
 */
TEST(a_window_with_very_many_inferences_keeps_its_median)
{
	struct run_steady steady;
	uint64_t now_ns = 0;

	run_steady_start(&steady, now_ns);
	for (int i = 0; i < 20000; i++)
		run_steady_add(&steady, now_ns += 1000, 1500);
	for (int i = 0; i < 30000; i++)
		run_steady_add(&steady, now_ns += 1000, 1000);
	assert_int_equal(steady.n_windows, 1);
	assert_int_equal(steady.median[0], 1000);
	assert_true(steady.step == 1);
}
