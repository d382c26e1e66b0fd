// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <math.h>
#include <unistd.h>

#include "cases.h"
#include "model/tensor/tensor.h"
#include "tensor_data.h"

static struct tensor filled(enum tensor_type type, size_t n, const char *name, struct tensor_fill fill)
{
	struct tensor tensor = make(type, 1, (int64_t[]){ (int64_t)n });

	assert_int_equal(tensor_fill(&tensor, &fill, name, NULL), 0);
	return tensor;
}

/* A change here changes every published result that used a seed. */
TEST(the_same_seed_and_name_make_the_same_bytes_for_ever)
{
	struct tensor floats = filled(TENSOR_FLOAT, 4, "data", (struct tensor_fill){ .seed = 42 });
	struct tensor ints = filled(TENSOR_INT64, 16, "data", (struct tensor_fill){ .seed = 42 });
	struct tensor normal =
	    filled(TENSOR_DOUBLE, 2, "data", (struct tensor_fill){ .seed = 42, .kind = TENSOR_FILL_NORMAL });
	struct tensor words = filled(TENSOR_STRING, 3, "data", (struct tensor_fill){ .seed = 42 });

	assert_memory_equal(
	    floats.data,
	    ((float[]){ 0x1.cb5d600000000p-2f, 0x1.3a01400000000p-3f, -0x1.4412c00000000p-1f, 0x1.1f91680000000p-2f }),
	    16);
	for (size_t i = 0; i < 16; i++)
		assert_int_equal(tensor_get_int(&ints, i), "1101001101000100"[i] - '0');
	assert_memory_equal(normal.data, ((double[]){ -0x1.2bc9000000000p+0, -0x1.6930000000000p-3 }), 16);
	assert_string_equal(words.strings[0], "gibiwa");
	assert_string_equal(words.strings[1], "womevi");
	assert_string_equal(words.strings[2], "po");
	tensor_done(&floats);
	tensor_done(&ints);
	tensor_done(&normal);
	tensor_done(&words);
}

TEST(another_seed_or_name_makes_other_values)
{
	struct tensor one = filled(TENSOR_FLOAT, 64, "x", (struct tensor_fill){ .seed = 1 });
	struct tensor again = filled(TENSOR_FLOAT, 64, "x", (struct tensor_fill){ .seed = 1 });
	struct tensor two = filled(TENSOR_FLOAT, 64, "x", (struct tensor_fill){ .seed = 2 });
	struct tensor other = filled(TENSOR_FLOAT, 64, "y", (struct tensor_fill){ .seed = 1 });
	struct tensor none = filled(TENSOR_FLOAT, 64, NULL, (struct tensor_fill){ .seed = 1 });

	assert_memory_equal(one.data, again.data, one.size_bytes);
	for (size_t i = 0; i < 64; i++) {
		assert_true(tensor_get(&one, i, 0) != tensor_get(&two, i, 0));
		assert_true(tensor_get(&one, i, 0) != tensor_get(&other, i, 0));
		assert_true(tensor_get(&one, i, 0) != tensor_get(&none, i, 0));
	}
	tensor_done(&one);
	tensor_done(&again);
	tensor_done(&two);
	tensor_done(&other);
	tensor_done(&none);
}

TEST(every_type_gets_values_that_it_has)
{
	const enum tensor_fill_kind kinds[] = { TENSOR_FILL_UNIFORM, TENSOR_FILL_NORMAL, TENSOR_FILL_ZEROS,
						TENSOR_FILL_ONES };

	for (int type = 1; type < TENSOR_N_TYPES; type++) {
		for (size_t k = 0; k < 4; k++) {
			struct tensor tensor =
			    filled(type, 500, "x", (struct tensor_fill){ .seed = 5, .kind = kinds[k] });
			const bool is_float = tensor_type_info(type)->kind == TENSOR_KIND_FLOAT ||
					      tensor_type_info(type)->kind == TENSOR_KIND_COMPLEX;
			for (size_t i = 0; type != TENSOR_STRING && i < 500; i++) {
				double value = tensor_get(&tensor, i, 0);
				assert_true(isfinite(value));
				assert_true(is_float ? fabs(value) <= 6 : value >= 0 && value <= 255);
				if (kinds[k] == TENSOR_FILL_UNIFORM && is_float)
					assert_true(fabs(value) <= 1);
				if (kinds[k] == TENSOR_FILL_UNIFORM && type == TENSOR_FLOAT8E8M0)
					assert_true(value > 0x1p-30);
				if (kinds[k] == TENSOR_FILL_ONES)
					assert_true(value == 1);
				if (kinds[k] == TENSOR_FILL_ZEROS)
					assert_true(value == (type == TENSOR_FLOAT8E8M0 ? 0x1p-127 : 0));
				if (!is_float && tensor_type_info(type)->bits >= 32)
					assert_true(value <= 1);
			}
			tensor_done(&tensor);
		}
	}
}

TEST(a_range_is_kept_with_both_ends)
{
	struct tensor tensor =
	    filled(TENSOR_INT32, 3000, "x", (struct tensor_fill){ .has_range = true, .low = -2, .high = 3 });
	struct tensor one =
	    filled(TENSOR_FLOAT, 10, "x", (struct tensor_fill){ .has_range = true, .low = 2.5, .high = 2.5 });
	unsigned seen[6] = { 0 };

	for (size_t i = 0; i < 3000; i++)
		seen[tensor_get_int(&tensor, i) + 2]++;
	for (size_t i = 0; i < 6; i++)
		assert_in_range(seen[i], 400, 600);
	for (size_t i = 0; i < 10; i++)
		assert_true(tensor_get(&one, i, 0) == 2.5);
	tensor_done(&tensor);
	tensor_done(&one);
}

TEST(all_of_64_bits_is_a_range)
{
	struct tensor tensor =
	    filled(TENSOR_INT64, 100, "x",
		   (struct tensor_fill){ .has_range = true, .low = -0x1p63, .high = 0x1.fffffffffffffp62 });
	int n_negative = 0;

	for (size_t i = 0; i < 100; i++)
		n_negative += tensor_get_int(&tensor, i) < 0;
	assert_in_range(n_negative, 30, 70);
	tensor_done(&tensor);
}

TEST(a_range_that_the_type_lacks_is_refused)
{
	struct tensor tensor = make(TENSOR_UINT8, 1, (int64_t[]){ 4 }), wide = make(TENSOR_DOUBLE, 1, (int64_t[]){ 4 });
	const struct {
		double low, high;
		int code;
	} bad[] = { { -1, 5, -ERANGE },	 { 0, 256, -ERANGE },	    { 5, 4, -EINVAL },
		    { 0, NAN, -EINVAL }, { -INFINITY, 0, -EINVAL }, { 0.1, 0.9, -ERANGE } };
	struct err err = { 0 };

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct tensor_fill fill = { .has_range = true, .low = bad[i].low, .high = bad[i].high };
		assert_int_equal(tensor_fill(&tensor, &fill, "x", &err), bad[i].code);
	}
	assert_int_equal(
	    tensor_fill(&wide, &(struct tensor_fill){ .has_range = true, .low = -1.5e308, .high = 1.5e308 }, "x", &err),
	    -EINVAL);
	assert_int_equal(
	    tensor_fill(&tensor, &(struct tensor_fill){ .has_range = true, .low = 0, .high = 300 }, "x", &err),
	    -ERANGE);
	assert_string_equal(err.msg, "cannot fill a tensor of uint8 with 0 to 300: the type holds 0 to 255");
	tensor_done(&tensor);
	tensor_done(&wide);
}
