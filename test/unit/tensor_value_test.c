// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <math.h>
#include <unistd.h>

#include "cases.h"
#include "model/tensor/tensor.h"
#include "tensor_data.h"

static bool is_narrow_float(int type)
{
	const struct tensor_type_info *info = tensor_type_info(type);

	return info->kind == TENSOR_KIND_FLOAT && info->bits <= 16;
}

TEST(every_number_of_a_narrow_float_comes_back)
{
	for (int type = 1; type < TENSOR_N_TYPES; type++) {
		if (!is_narrow_float(type))
			continue;
		for (uint32_t bits = 0; bits < 1u << tensor_type_info(type)->bits; bits++) {
			double value = tensor_float_from_bits(type, bits);
			if (isnan(value))
				assert_true(isnan(tensor_float_from_bits(type, tensor_float_to_bits(type, value))));
			else
				assert_int_equal(tensor_float_to_bits(type, value), bits);
		}
	}
}

TEST(the_ends_of_narrow_floats_are_those_of_their_papers)
{
	const struct {
		enum tensor_type type;
		double least, most;
	} ends[] = {
		{ TENSOR_FLOAT16, 0x1p-24, 65504 },    { TENSOR_BFLOAT16, 0x1p-133, 0x1.fep127 },
		{ TENSOR_FLOAT8E4M3FN, 0x1p-9, 448 },  { TENSOR_FLOAT8E4M3FNUZ, 0x1p-10, 240 },
		{ TENSOR_FLOAT8E5M2, 0x1p-16, 57344 }, { TENSOR_FLOAT8E5M2FNUZ, 0x1p-17, 57344 },
		{ TENSOR_FLOAT4E2M1, 0.5, 6 },	       { TENSOR_FLOAT6E2M3, 0.125, 7.5 },
		{ TENSOR_FLOAT6E3M2, 0.0625, 28 },
	};

	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		double low, high;
		tensor_type_range(ends[i].type, &low, &high);
		assert_true(high == ends[i].most && low == -high);
		assert_true(tensor_float_from_bits(ends[i].type, 1) == ends[i].least);
		/* Half of the least is a tie, which goes to 0; just above, it does not. */
		assert_int_equal(tensor_float_to_bits(ends[i].type, ends[i].least / 2), 0);
		assert_int_equal(tensor_float_to_bits(ends[i].type, nextafter(ends[i].least / 2, 1)), 1);
		/* -0 where there is one. */
		assert_true(tensor_float_from_bits(ends[i].type, tensor_float_to_bits(ends[i].type, -0.0)) == 0);
		assert_true(tensor_float_from_bits(ends[i].type, tensor_float_to_bits(ends[i].type, 1e300)) ==
			    ends[i].most);
		assert_true(tensor_float_from_bits(ends[i].type, tensor_float_to_bits(ends[i].type, -1e300)) ==
			    -ends[i].most);
	}
}

TEST(exponents_alone_are_never_zero_or_negative)
{
	double low, high;

	tensor_type_range(TENSOR_FLOAT8E8M0, &low, &high);
	assert_true(low == 0x1p-127 && high == 0x1p127);
	assert_int_equal(tensor_float_to_bits(TENSOR_FLOAT8E8M0, 1), 127);
	assert_int_equal(tensor_float_to_bits(TENSOR_FLOAT8E8M0, 0), 0);
	assert_int_equal(tensor_float_to_bits(TENSOR_FLOAT8E8M0, -5), 0);
	assert_int_equal(tensor_float_to_bits(TENSOR_FLOAT8E8M0, 1.5), 128);
	assert_int_equal(tensor_float_to_bits(TENSOR_FLOAT8E8M0, 3), 128);
	assert_int_equal(tensor_float_to_bits(TENSOR_FLOAT8E8M0, INFINITY), 254);
	assert_int_equal(tensor_float_to_bits(TENSOR_FLOAT8E8M0, NAN), 255);
}

TEST(neighbours_of_packed_elements_stay)
{
	const enum tensor_type types[] = { TENSOR_INT4,	 TENSOR_UINT4,	    TENSOR_INT2,
					   TENSOR_UINT2, TENSOR_FLOAT4E2M1, TENSOR_FLOAT6E2M3 };

	for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
		struct tensor tensor = make(types[t], 1, (int64_t[]){ 13 });
		double low, high;
		tensor_type_range(types[t], &low, &high);
		for (size_t i = 0; i < 13; i++)
			tensor_put(&tensor, i, 0, high);
		for (size_t i = 0; i < 13; i++) {
			tensor_put(&tensor, i, 0, low);
			for (size_t k = 0; k < 13; k++)
				assert_true(tensor_get(&tensor, k, 0) == (k == i ? low : high));
			tensor_put(&tensor, i, 0, high);
		}
		tensor_done(&tensor);
	}
}

TEST(the_first_element_lies_in_the_lowest_bits)
{
	struct tensor four = make_of(TENSOR_INT4, VALUES(1, -2, 7)), two = make_of(TENSOR_UINT2, VALUES(1, 2, 3, 0, 1));
	struct tensor six = make(TENSOR_FLOAT6E2M3, 1, (int64_t[]){ 4 });

	assert_memory_equal(four.data, "\xe1\x07", 2);
	assert_memory_equal(two.data, "\x39\x01", 2);
	for (size_t i = 0; i < 4; i++)
		tensor_put_int(&six, i, (int64_t[]){ 0x3f, 0x01, 0x20, 0x15 }[i]);
	assert_memory_equal(six.data, "\x7f\x00\x56", 3);
	tensor_done(&four);
	tensor_done(&two);
	tensor_done(&six);
}

TEST(integers_are_exact_beyond_doubles)
{
	struct tensor wide = make(TENSOR_INT64, 1, (int64_t[]){ 2 }), huge = make(TENSOR_UINT64, 1, (int64_t[]){ 1 });

	tensor_put_int(&wide, 0, INT64_MAX - 1);
	tensor_put_int(&wide, 1, INT64_MIN);
	tensor_put_int(&huge, 0, -1);
	assert_int_equal(tensor_get_int(&wide, 0), INT64_MAX - 1);
	assert_int_equal(tensor_get_int(&wide, 1), INT64_MIN);
	assert_true(tensor_get(&huge, 0, 0) == 0x1p64);
	tensor_put(&huge, 0, 0, 0x1p70);
	assert_int_equal(tensor_get_int(&huge, 0), -1);
	for (int value = -140; value < 140; value++) {
		struct tensor narrow = make_of(TENSOR_INT8, VALUES(value));
		assert_int_equal(tensor_get_int(&narrow, 0), value < -128 ? -128 : value > 127 ? 127 : value);
		tensor_done(&narrow);
	}
	tensor_put(&wide, 0, 0, -0x1p70);
	assert_int_equal(tensor_get_int(&wide, 0), INT64_MIN);
	tensor_done(&wide);
	tensor_done(&huge);
}

TEST(wide_floats_become_no_infinities)
{
	struct tensor tensor = make_of(TENSOR_FLOAT, VALUES(1e300, -1e300, INFINITY, NAN, 0.1));

	assert_true(tensor_get(&tensor, 0, 0) == (double)FLT_MAX);
	assert_true(tensor_get(&tensor, 1, 0) == -(double)FLT_MAX);
	assert_true(isinf(tensor_get(&tensor, 2, 0)));
	assert_true(isnan(tensor_get(&tensor, 3, 0)));
	assert_true(tensor_get(&tensor, 4, 0) == (double)0.1f);
	tensor_done(&tensor);
}

TEST(complex_numbers_have_two_parts)
{
	struct tensor tensor = make(TENSOR_COMPLEX64, 1, (int64_t[]){ 2 });

	tensor_put(&tensor, 1, 0, 3);
	tensor_put(&tensor, 1, 1, -4);
	assert_memory_equal(tensor.data, ((float[]){ 0, 0, 3, -4 }), 16);
	assert_true(tensor_get(&tensor, 1, 0) == 3 && tensor_get(&tensor, 1, 1) == -4);
	tensor_done(&tensor);
}
