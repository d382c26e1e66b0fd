// SPDX-License-Identifier: Apache-2.0
/* Memory that is still growing is told from memory that has grown. */
#include "analyze/summary/course/growth.h"

#include <math.h>
#include <stdbool.h>

#include "analyze/summary/course/curve.h"
#include "cases.h"

#define SECOND 1000000000u

static double after(uint32_t n, double (*value)(uint32_t i))
{
	struct growth growth = { 0 };

	for (uint32_t i = 0; i < n; i++)
		growth_add(&growth, (uint64_t)i * SECOND, value(i));
	assert_true(growth.n <= GROWTH_POINTS);
	assert_true(n < 2 || n > GROWTH_POINTS || growth_last(&growth) == value(n - 2)); /* not the last one of all */
	return growth_per_s(&growth);
}

static double leak(uint32_t i)
{
	return 100e6 + 1e6 * i + (i % 2 ? 2e5 : 0);
}

static double load(uint32_t i)
{
	return i < 20 ? 10e6 * i : 200e6 + (i % 3 ? 1e5 : 0);
}

static double step(uint32_t i)
{
	return i < 80 ? 100e6 : 150e6;
}

static double slow(uint32_t i)
{
	return 100e6 + 1e3 * i;
}

static double sink(uint32_t i)
{
	return 500e6 - 1e6 * i;
}

/* Sessions are made for most of the time, and then used. */
static double long_load(uint32_t i)
{
	return i < 82 ? 10e6 * i : 820e6 + (i % 3 ? 1e5 : 0);
}

static double steps(uint32_t i)
{
	return 100e6 + 10e6 * (i / 5);
}

/* Large inferences come more often towards the end, and what they took is given back each time. */
static double given_back(uint32_t i)
{
	bool is_large = i < 33 ? false : i < 38 ? i == 35 : i < 42 ? i % 2 == 0 : i % 3 != 1;

	return 366e6 + (is_large ? 100e6 : 0);
}

/* The same, and some stays. */
static double kept_in_part(uint32_t i)
{
	return given_back(i) + 1e6 * i;
}

static double wave(uint32_t i)
{
	return 100e6 + 5e6 * i - (i == 8 ? 6e6 : 0);
}

static double leak_to_the_end(uint32_t i)
{
	return i < 99 ? leak(i) : 50e6;
}

TEST(a_leak_has_its_slope)
{
	double per_s = after(100, leak);

	assert_true(per_s > 0.98e6 && per_s < 1.02e6);
	per_s = after(100, leak_to_the_end);
	assert_true(per_s > 0.98e6 && per_s < 1.02e6);
	per_s = after(100, steps);
	assert_true(per_s > 1.9e6 && per_s < 2.1e6);
	per_s = after(100000, leak);
	assert_true(per_s > 0.99e6 && per_s < 1.01e6);
}

TEST(what_was_loaded_is_no_leak)
{
	assert_true(isnan(after(100, load)));
	assert_true(isnan(after(100, step)));
	assert_true(isnan(after(100, long_load)));
	assert_true(isnan(after(100, slow)));
	assert_true(isnan(after(100, sink)));
}

TEST(what_is_given_back_is_no_leak)
{
	assert_true(isnan(after(50, given_back)));
	assert_float_equal(after(50, kept_in_part), 1e6, 0.2e6);
}

TEST(a_few_values_tell_nothing)
{
	assert_true(isnan(after(0, leak)));
	assert_true(isnan(after(1, leak)));
	assert_true(isnan(after(9, leak)));
	assert_false(isnan(after(20, leak)));
	assert_false(isnan(after(12, leak)));
	assert_true(isnan(after(12, wave)));
}

TEST(a_curve_has_its_peak_in_few_points)
{
	struct curve curve = { 0 };
	double most = 0;

	for (uint64_t i = 0; i < 100000; i++)
		curve_add(&curve, i * 1000, i == 77777 ? 5e9 : (double)i);
	assert_in_range(curve.n, CURVE_POINTS / 2, CURVE_POINTS);
	for (uint32_t i = 0; i < curve.n; i++) {
		assert_true(!i || curve.point[i].time_ns > curve.point[i - 1].time_ns);
		most = fmax(most, curve.point[i].value);
	}
	assert_true(most == 5e9);
	assert_int_equal(curve.point[curve.n - 1].time_ns, 99999000);
}

TEST(a_short_curve_has_all_values)
{
	struct curve curve = { 0 };

	for (uint64_t i = 0; i < CURVE_POINTS; i++)
		curve_add(&curve, i, (double)(i % 3));
	assert_int_equal(curve.n, CURVE_POINTS);
	for (uint32_t i = 0; i < CURVE_POINTS; i++)
		assert_true(curve.point[i].time_ns == i && curve.point[i].value == i % 3);
}
