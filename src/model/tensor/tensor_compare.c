// SPDX-License-Identifier: Apache-2.0
/* Measures the difference of two tensors. Judges only by the tolerance it is given. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/tensor/tensor.h"

/* Running sums. */
struct sums {
	double expected_squares, actual_squares, products;
};

struct tensor_tolerance tensor_default_tolerance(enum tensor_type type)
{
	switch (type) {
	case TENSOR_DOUBLE:
	case TENSOR_COMPLEX128:
		return (struct tensor_tolerance){ 1e-7, 1e-5 };
	case TENSOR_FLOAT:
	case TENSOR_COMPLEX64:
		return (struct tensor_tolerance){ 1e-5, 1e-3 };
	case TENSOR_FLOAT16:
		return (struct tensor_tolerance){ 1e-3, 1e-2 };
	case TENSOR_BFLOAT16:
		return (struct tensor_tolerance){ 1e-2, 2e-2 };
	/* one unit in the last place */
	case TENSOR_FLOAT8E4M3FN:
	case TENSOR_FLOAT8E4M3FNUZ:
	case TENSOR_FLOAT6E2M3:
		return (struct tensor_tolerance){ 0.02, 0.125 };
	case TENSOR_FLOAT8E5M2:
	case TENSOR_FLOAT8E5M2FNUZ:
	case TENSOR_FLOAT6E3M2:
		return (struct tensor_tolerance){ 0.02, 0.25 };
	case TENSOR_FLOAT4E2M1:
		return (struct tensor_tolerance){ 0.5, 0.5 };
	default:
		return (struct tensor_tolerance){ 0, 0 };
	}
}

static bool check_comparable(const struct tensor *expected, const struct tensor *actual, struct tensor_diff *diff)
{
	char shape[2][80];

	if (expected->type != actual->type)
		snprintf(diff->why, sizeof diff->why, "the type is %s, not %s", tensor_type_name(actual->type),
			 tensor_type_name(expected->type));
	else if (!tensor_same_shape(expected, actual))
		snprintf(diff->why, sizeof diff->why, "the shape is %s, not %s",
			 tensor_describe(actual, shape[0], sizeof shape[0]),
			 tensor_describe(expected, shape[1], sizeof shape[1]));
	else
		diff->is_comparable = true;
	return diff->is_comparable;
}

static void count_off(struct tensor_diff *diff, size_t i)
{
	if (!diff->n_off++)
		diff->first_off = i;
}

/* distance and the magnitude of the expected value are finite, or infinite because they exceed a double. */
static void count_finite(struct tensor_diff *diff, size_t i, double distance, double magnitude)
{
	if (!diff->n_finite++ || distance > diff->max_abs) {
		diff->max_abs = distance;
		diff->max_abs_index = i;
	}
	if (!magnitude)
		return;
	if (!diff->n_relative++ || distance / magnitude > diff->max_rel)
		diff->max_rel = distance / magnitude;
}

static void add_products(struct sums *sums, double expected, double actual)
{
	sums->expected_squares += expected * expected;
	sums->actual_squares += actual * actual;
	sums->products += expected * actual;
}

/* An element: real and imaginary part; the latter is 0 in most types. */
struct number {
	double part[2];
};

static bool has_nan(struct number x)
{
	return isnan(x.part[0]) || isnan(x.part[1]);
}

static bool is_same(struct number x, struct number y)
{
	return x.part[0] == y.part[0] && x.part[1] == y.part[1];
}

static double length(double x, double y)
{
	return y ? hypot(x, y) : fabs(x);
}

static void compare_number(struct tensor_diff *diff, struct sums *sums, size_t i, struct number expected,
			   struct number actual, struct tensor_tolerance tolerance)
{
	const double distance = length(actual.part[0] - expected.part[0], actual.part[1] - expected.part[1]);
	const double magnitude = length(expected.part[0], expected.part[1]);

	if (has_nan(expected) && has_nan(actual))
		return;
	if (has_nan(expected) || has_nan(actual)) {
		diff->n_one_nan++;
		count_off(diff, i);
		return;
	}
	if (!isfinite(expected.part[0]) || !isfinite(expected.part[1]) || !isfinite(actual.part[0]) ||
	    !isfinite(actual.part[1])) {
		if (!is_same(expected, actual)) {
			diff->n_one_infinite++;
			count_off(diff, i);
		}
		return;
	}
	count_finite(diff, i, distance, magnitude);
	for (int part = 0; part < 2; part++)
		add_products(sums, expected.part[part], actual.part[part]);
	if (!(distance <= tolerance.absolute + tolerance.relative * magnitude))
		count_off(diff, i);
}

static void compare_floats(const struct tensor *expected, const struct tensor *actual,
			   struct tensor_tolerance tolerance, struct tensor_diff *diff, struct sums *sums)
{
	const bool is_complex = tensor_type_info(expected->type)->kind == TENSOR_KIND_COMPLEX;

	for (size_t i = 0; i < expected->n_elements; i++) {
		struct number e = { { tensor_get(expected, i, 0) } }, a = { { tensor_get(actual, i, 0) } };
		if (is_complex) {
			e.part[1] = tensor_get(expected, i, 1);
			a.part[1] = tensor_get(actual, i, 1);
		}
		compare_number(diff, sums, i, e, a, tolerance);
	}
}

/* Subtracts integers as integers: doubles cannot hold all 64 bits. */
static void compare_integers(const struct tensor *expected, const struct tensor *actual, struct tensor_diff *diff,
			     struct sums *sums)
{
	const bool is_signed = tensor_type_info(expected->type)->kind == TENSOR_KIND_INT;

	for (size_t i = 0; i < expected->n_elements; i++) {
		const int64_t e = tensor_get_int(expected, i), a = tensor_get_int(actual, i);
		const bool is_less = is_signed ? e < a : (uint64_t)e < (uint64_t)a;
		const uint64_t distance = is_less ? (uint64_t)a - (uint64_t)e : (uint64_t)e - (uint64_t)a;
		const double expected_value = tensor_get(expected, i, 0);
		count_finite(diff, i, (double)distance, fabs(expected_value));
		add_products(sums, expected_value, tensor_get(actual, i, 0));
		if (distance)
			count_off(diff, i);
	}
}

static void compare_strings(const struct tensor *expected, const struct tensor *actual, struct tensor_diff *diff)
{
	for (size_t i = 0; i < expected->n_elements; i++) {
		if (expected->string_bytes[i] == actual->string_bytes[i] &&
		    !memcmp(expected->strings[i], actual->strings[i], expected->string_bytes[i]))
			continue;
		count_off(diff, i);
	}
}

bool tensor_compare(const struct tensor *expected, const struct tensor *actual, struct tensor_tolerance tolerance,
		    struct tensor_diff *diff)
{
	struct sums sums = { 0 };

	*diff = (struct tensor_diff){ .n_elements = expected->n_elements, .first_off = expected->n_elements };
	if (!check_comparable(expected, actual, diff))
		return false;
	switch (tensor_type_info(expected->type)->kind) {
	case TENSOR_KIND_STRING:
		compare_strings(expected, actual, diff);
		break;
	case TENSOR_KIND_FLOAT:
	case TENSOR_KIND_COMPLEX:
		compare_floats(expected, actual, tolerance, diff, &sums);
		break;
	default:
		compare_integers(expected, actual, diff, &sums);
	}
	diff->cosine = sums.expected_squares > 0 && sums.actual_squares > 0
			   ? sums.products / (sqrt(sums.expected_squares) * sqrt(sums.actual_squares))
			   : NAN;
	return !diff->n_off;
}
