// SPDX-License-Identifier: Apache-2.0
/* What columns of time hold when time outgrows them. */
#include "analyze/summary/course/course.h"

#include <math.h>
#include <stdlib.h>

#include "cases.h"

static struct course_cell sum_of(const struct course *course)
{
	struct course_cell sum = { 0 };

	for (uint32_t i = 0; i < course->n; i++) {
		sum.n += course->cell[i].n;
		sum.n_failed += course->cell[i].n_failed;
		sum.n_values += course->cell[i].n_values;
		sum.sum += course->cell[i].sum;
		sum.covered_ns += course->cell[i].covered_ns;
		sum.weighted_ns += course->cell[i].weighted_ns;
		sum.high = fmax(sum.high, course->cell[i].high);
	}
	return sum;
}

static uint64_t begin_of(const struct course *course, uint32_t i)
{
	return (course->first + i) << course->shift;
}

TEST(counts_and_sums_stay_exact_when_columns_become_wider)
{
	struct course course = { 0 };
	struct course_cell sum;

	for (uint64_t i = 0; i < 100000; i++)
		course_add_run(&course, 5000000 + i * 700000, 5001000 + i * 700001, !(i % 1000), i % 1000 != 0);
	sum = sum_of(&course);
	assert_in_range(course.n, COURSE_COLUMNS / 2, COURSE_COLUMNS);
	assert_int_equal(sum.n, 100000);
	assert_int_equal(sum.n_failed, 100);
	assert_int_equal(sum.n_values, 99900);
	assert_true(sum.covered_ns == 100000.0 * 1000 + 99999.0 * 100000 / 2);
	assert_true(sum.high == 1000 + 99999);
	assert_true(begin_of(&course, 0) <= 5000000 && begin_of(&course, 1) > 5000000);
}

TEST(an_inference_covers_every_column_that_it_touches)
{
	struct course course = { 0 };

	course_add_run(&course, 0, 10 * 1024, false, true);
	assert_int_equal(course.n, 10);
	for (uint32_t i = 0; i < 10; i++) {
		assert_int_equal(course.cell[i].n, !i);
		assert_true(course.cell[i].covered_ns == 1024);
	}
}

TEST(what_comes_late_has_a_column_before_the_others)
{
	struct course course = { 0 };

	course_add_run(&course, 1000000000, 1000001000, false, true);
	course_add_run(&course, 999900000, 999901000, false, true);
	assert_true(begin_of(&course, 0) <= 999900000);
	assert_int_equal(course.cell[0].n, 1);
	assert_int_equal(sum_of(&course).n, 2);
	course_add_run(&course, 0, 1000, false, true);
	assert_int_equal(course.first, 0);
	assert_int_equal(sum_of(&course).n, 3);
	assert_true(course.n <= COURSE_COLUMNS);
}

TEST(a_value_is_weighted_with_the_time_that_it_stands_for)
{
	struct course course = { 0 };
	struct course_cell sum;

	course_add_value(&course, 0, 0, 7);
	course_add_value(&course, 0, 2000000, 10);
	course_add_value(&course, 2000000, 3000000, 40);
	course_widen(&course, 40);
	sum = sum_of(&course);
	assert_int_equal(course.n, 1);
	assert_true(sum.weighted_ns / sum.covered_ns == 20);
	assert_true(course.cell[0].low == 7 && course.cell[0].high == 40);
}

TEST(two_become_one_with_the_wider_columns)
{
	struct course a = { 0 }, b = { 0 };

	course_add_run(&a, 0, 1000, false, true);
	for (uint64_t i = 0; i < 1000; i++)
		course_add_run(&b, 1000000 * i, 1000000 * i + 5000, false, true);
	course_merge(&a, &b);
	assert_int_equal(a.shift, b.shift);
	assert_int_equal(sum_of(&a).n, 1001);
	assert_true(sum_of(&a).covered_ns == 1000 + 1000 * 5000);
}

TEST(no_time_is_too_far_away)
{
	struct course course = { 0 };

	course_add_run(&course, 0, UINT64_MAX, false, false);
	course_add_run(&course, UINT64_MAX - 1, UINT64_MAX, true, false);
	course_add_value(&course, 0, UINT64_MAX - 1, 1);
	assert_true(course.n && course.n <= COURSE_COLUMNS);
	assert_int_equal(sum_of(&course).n, 2);
}
