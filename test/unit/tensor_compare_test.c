// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <math.h>
#include <unistd.h>

#include "cases.h"
#include "model/tensor/tensor.h"
#include "tensor_data.h"

static struct tensor_diff diff_of(struct tensor expected, struct tensor actual, double absolute, double relative)
{
	struct tensor_diff diff;
	bool is_same = tensor_compare(&expected, &actual, (struct tensor_tolerance){ absolute, relative }, &diff);

	assert_int_equal(is_same, diff.is_comparable && !diff.n_off);
	tensor_done(&expected);
	tensor_done(&actual);
	return diff;
}

TEST(a_tensor_is_the_same_as_itself)
{
	for (int type = 1; type < TENSOR_N_TYPES; type++) {
		struct tensor tensor = make(type, 2, (int64_t[]){ 7, 9 });
		struct tensor_diff diff;
		assert_int_equal(tensor_fill(&tensor, &(struct tensor_fill){ .seed = 1 }, "x", NULL), 0);
		assert_true(tensor_compare(&tensor, &tensor, (struct tensor_tolerance){ 0, 0 }, &diff));
		assert_int_equal(diff.first_off, 63);
		assert_int_equal(diff.n_finite, type == TENSOR_STRING ? 0 : 63);
		assert_true(type == TENSOR_STRING ? isnan(diff.cosine) : fabs(diff.cosine - 1) < 1e-12);
		tensor_done(&tensor);
	}
}

TEST(the_largest_differences_are_found)
{
	struct tensor_diff diff = diff_of(make_of(TENSOR_FLOAT, VALUES(100, 1, 0, -4)),
					  make_of(TENSOR_FLOAT, VALUES(103, 1.5, 0.25, -4)), 0.25, 0.04);

	assert_true(diff.max_abs == 3 && diff.max_abs_index == 0);
	assert_true(diff.max_rel == 0.5);
	assert_int_equal(diff.n_off, 1);
	assert_int_equal(diff.first_off, 1);
	assert_int_equal(diff.n_relative, 3);
}

TEST(of_equal_differences_the_first_is_said)
{
	struct tensor_diff diff =
	    diff_of(make_of(TENSOR_FLOAT, VALUES(1, 1, 1)), make_of(TENSOR_FLOAT, VALUES(1, 2, 2)), 0, 0);

	assert_int_equal(diff.max_abs_index, 1);
}

TEST(the_tolerance_itself_is_within)
{
	assert_int_equal(
	    diff_of(make_of(TENSOR_DOUBLE, VALUES(2)), make_of(TENSOR_DOUBLE, VALUES(2.75)), 0.25, 0.25).n_off, 0);
	assert_int_equal(
	    diff_of(make_of(TENSOR_DOUBLE, VALUES(2)), make_of(TENSOR_DOUBLE, VALUES(2.7500001)), 0.25, 0.25).n_off, 1);
	/* Relative to the expected value, not to the actual one. */
	assert_int_equal(diff_of(make_of(TENSOR_DOUBLE, VALUES(0)), make_of(TENSOR_DOUBLE, VALUES(1)), 0, 100).n_off,
			 1);
}

TEST(what_is_not_finite_is_counted_apart)
{
	struct tensor_diff diff =
	    diff_of(make_of(TENSOR_FLOAT16, VALUES(NAN, NAN, 1, INFINITY, INFINITY, -INFINITY, 0)),
		    make_of(TENSOR_FLOAT16, VALUES(NAN, 1, NAN, INFINITY, -INFINITY, 3, -0.0)), 1e9, 1e9);

	assert_int_equal(diff.n_one_nan, 2);
	assert_int_equal(diff.n_one_infinite, 2);
	assert_int_equal(diff.n_finite, 1);
	assert_int_equal(diff.n_off, 4);
	assert_int_equal(diff.first_off, 1);
	assert_true(diff.max_abs == 0);
	assert_true(isnan(diff.cosine));
}

TEST(a_difference_beyond_doubles_is_off)
{
	struct tensor_diff diff =
	    diff_of(make_of(TENSOR_DOUBLE, VALUES(DBL_MAX)), make_of(TENSOR_DOUBLE, VALUES(-DBL_MAX)), 1, 0.5);

	assert_int_equal(diff.n_off, 1);
	assert_true(isinf(diff.max_abs));
}

TEST(integers_have_no_tolerance)
{
	struct tensor a = make(TENSOR_INT64, 1, (int64_t[]){ 2 }), b = make(TENSOR_INT64, 1, (int64_t[]){ 2 });
	struct tensor_diff diff;

	tensor_put_int(&a, 0, INT64_MAX);
	tensor_put_int(&b, 0, INT64_MAX - 1);
	diff = diff_of(a, b, 10, 10);
	assert_int_equal(diff.n_off, 1);
	assert_true(diff.max_abs == 1);
	assert_int_equal(
	    diff_of(make_of(TENSOR_BOOL, VALUES(1, 0)), make_of(TENSOR_BOOL, VALUES(1, 1)), 10, 10).first_off, 1);
	assert_int_equal(
	    diff_of(make_of(TENSOR_INT4, VALUES(-8, 7, 0)), make_of(TENSOR_INT4, VALUES(7, 7, 0)), 9, 9).max_abs, 15);
}

TEST(complex_numbers_are_apart_by_their_distance)
{
	struct tensor a = make(TENSOR_COMPLEX128, 0, NULL), b = make(TENSOR_COMPLEX128, 0, NULL);
	struct tensor_diff diff;

	tensor_put(&a, 0, 0, 6);
	tensor_put(&a, 0, 1, 8);
	tensor_put(&b, 0, 0, 3);
	tensor_put(&b, 0, 1, 4);
	diff = diff_of(a, b, 0, 0.5);
	assert_true(diff.max_abs == 5 && diff.max_rel == 0.5);
	assert_int_equal(diff.n_off, 0);
	assert_true(fabs(diff.cosine - 1) < 1e-15);
}

static struct tensor words(const char *text, size_t len, const size_t *start)
{
	struct tensor tensor;

	assert_int_equal(
	    tensor_alloc_strings(&tensor, (int64_t[]){ 2 }, 1, &(struct tensor_texts){ text, len, start }, NULL), 0);
	return tensor;
}

TEST(strings_differ_behind_a_zero_too)
{
	struct tensor_diff diff =
	    diff_of(words("a\0bc", 4, (size_t[]){ 0, 3 }), words("a\0dc", 4, (size_t[]){ 0, 3 }), 1, 1);

	assert_int_equal(diff.n_off, 1);
	assert_int_equal(diff.first_off, 0);
	assert_int_equal(diff_of(words("ab", 2, (size_t[]){ 0, 1 }), words("ab", 2, (size_t[]){ 0, 2 }), 1, 1).n_off,
			 2);
}

TEST(other_types_and_shapes_are_said)
{
	struct tensor_diff diff = diff_of(make_of(TENSOR_FLOAT, VALUES(1)), make_of(TENSOR_FLOAT16, VALUES(1)), 1, 1);

	assert_false(diff.is_comparable);
	assert_string_equal(diff.why, "the type is float16, not float32");
	diff = diff_of(make(TENSOR_INT8, 2, (int64_t[]){ 2, 3 }), make(TENSOR_INT8, 1, (int64_t[]){ 6 }), 1, 1);
	assert_string_equal(diff.why, "the shape is int8[6], not int8[2,3]");
}

TEST(empty_tensors_are_the_same)
{
	struct tensor_diff diff =
	    diff_of(make(TENSOR_FLOAT, 1, (int64_t[]){ 0 }), make(TENSOR_FLOAT, 1, (int64_t[]){ 0 }), 0, 0);

	assert_true(diff.is_comparable);
	assert_int_equal(diff.n_off, 0);
	assert_int_equal(diff.n_finite, 0);
}

TEST(every_float_has_a_tolerance)
{
	for (int type = 1; type < TENSOR_N_TYPES; type++) {
		enum tensor_kind kind = tensor_type_info(type)->kind;
		bool is_inexact =
		    (kind == TENSOR_KIND_FLOAT && type != TENSOR_FLOAT8E8M0) || kind == TENSOR_KIND_COMPLEX;
		assert_int_equal(tensor_default_tolerance(type).relative > 0, is_inexact);
		assert_int_equal(tensor_default_tolerance(type).absolute > 0, is_inexact);
	}
}
