// SPDX-License-Identifier: Apache-2.0
#include "model/tensor/tensor.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"

/* AddressSanitizer: a failed allocation returns NULL, as without it. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

TEST(every_type_has_a_name_of_its_own)
{
	for (int type = TENSOR_UNDEFINED + 1; type < TENSOR_N_TYPES; type++) {
		assert_non_null(tensor_type_info(type));
		assert_int_equal(tensor_type_info(type)->bits == 0, type == TENSOR_STRING);
		for (int other = TENSOR_UNDEFINED + 1; other < type; other++)
			assert_string_not_equal(tensor_type_name(type), tensor_type_name(other));
	}
	assert_null(tensor_type_info(TENSOR_UNDEFINED));
	assert_null(tensor_type_info(TENSOR_N_TYPES));
	assert_null(tensor_type_info(-1));
	assert_null(tensor_type_info(INT64_MIN));
	assert_string_equal(tensor_type_name(99), "?");
}

TEST(onnx_runtime_numbers_three_types_otherwise)
{
	assert_int_equal(tensor_type_to_ort(TENSOR_UINT2), 24);
	assert_int_equal(tensor_type_to_ort(TENSOR_INT2), 25);
	assert_int_equal(tensor_type_to_ort(TENSOR_FLOAT8E8M0), 26);
	assert_int_equal(tensor_type_to_ort(TENSOR_FLOAT4E2M1), 23);
	assert_int_equal(tensor_type_to_ort(TENSOR_UNDEFINED), 0);
	for (int type = TENSOR_UNDEFINED + 1; type < TENSOR_N_TYPES; type++)
		assert_int_equal(tensor_type_from_ort(tensor_type_to_ort(type)), type);
	assert_int_equal(tensor_type_from_ort(0), TENSOR_UNDEFINED);
	assert_int_equal(tensor_type_from_ort(-5), TENSOR_UNDEFINED);
	assert_int_equal(tensor_type_from_ort(1000), TENSOR_UNDEFINED);
}

static int measure(enum tensor_type type, size_t n_dims, const int64_t *dims, size_t *n, size_t *bytes)
{
	struct err err = { 0 };
	int ret = tensor_measure(type, dims, n_dims, n, bytes, &err);

	assert_int_equal(ret, -err.code);
	assert_int_equal(ret != 0, err.msg[0] != 0);
	return ret;
}

TEST(a_shape_has_as_many_bytes_as_it_needs)
{
	const int64_t ones[TENSOR_MAX_DIMS + 1] = { [0 ... TENSOR_MAX_DIMS] = 1 };
	size_t n, bytes;

	assert_int_equal(measure(TENSOR_FLOAT, 3, (int64_t[]){ 2, 3, 4 }, &n, &bytes), 0);
	assert_int_equal(n, 24);
	assert_int_equal(bytes, 96);
	assert_int_equal(measure(TENSOR_INT64, 0, NULL, &n, &bytes), 0);
	assert_int_equal(n, 1);
	assert_int_equal(bytes, 8);
	assert_int_equal(measure(TENSOR_INT4, 1, (int64_t[]){ 5 }, &n, &bytes), 0);
	assert_int_equal(bytes, 3);
	assert_int_equal(measure(TENSOR_UINT2, 1, (int64_t[]){ 5 }, &n, &bytes), 0);
	assert_int_equal(bytes, 2);
	assert_int_equal(measure(TENSOR_FLOAT6E2M3, 1, (int64_t[]){ 5 }, &n, &bytes), 0);
	assert_int_equal(bytes, 4);
	assert_int_equal(measure(TENSOR_FLOAT, 2, (int64_t[]){ INT64_MAX, 0 }, &n, &bytes), 0);
	assert_int_equal(n, 0);
	assert_int_equal(bytes, 0);
	assert_int_equal(measure(TENSOR_STRING, 1, (int64_t[]){ 7 }, &n, &bytes), 0);
	assert_int_equal(n, 7);
	assert_int_equal(bytes, 0);
	assert_int_equal(measure(TENSOR_UINT8, TENSOR_MAX_DIMS, ones, &n, &bytes), 0);
	assert_int_equal(measure(TENSOR_UINT8, TENSOR_MAX_DIMS + 1, ones, &n, &bytes), -EINVAL);
}

TEST(a_shape_beyond_all_memory_is_none)
{
	size_t n, bytes;

	assert_int_equal(measure(TENSOR_FLOAT, 1, (int64_t[]){ -1 }, &n, &bytes), -EINVAL);
	assert_int_equal(measure(TENSOR_UNDEFINED, 1, (int64_t[]){ 1 }, &n, &bytes), -EINVAL);
	assert_int_equal(measure(TENSOR_UINT8, 3, (int64_t[]){ 1 << 30, 1 << 30, 16 }, &n, &bytes), -EOVERFLOW);
	assert_int_equal(measure(TENSOR_DOUBLE, 1, (int64_t[]){ INT64_MAX }, &n, &bytes), -EOVERFLOW);
	/* Also when a later dimension is 0. */
	assert_int_equal(measure(TENSOR_UINT8, 3, (int64_t[]){ INT64_MAX, INT64_MAX, 0 }, &n, &bytes), -EOVERFLOW);
}

TEST(a_new_tensor_is_zero_and_aligned)
{
	struct tensor tensor;

	for (int type = TENSOR_UNDEFINED + 1; type < TENSOR_N_TYPES; type++) {
		assert_int_equal(tensor_alloc(&tensor, type, (int64_t[]){ 3, 5 }, 2, NULL), 0);
		assert_int_equal(tensor.n_elements, 15);
		assert_int_equal((uintptr_t)tensor.data % 64, 0);
		for (size_t i = 0; i < tensor.size_bytes; i++)
			assert_int_equal(((uint8_t *)tensor.data)[i], 0);
		for (size_t i = 0; type == TENSOR_STRING && i < 15; i++) {
			assert_string_equal(tensor.strings[i], "");
			assert_int_equal(tensor.string_bytes[i], 0);
		}
		tensor_done(&tensor);
		assert_int_equal(tensor.n_elements, 0);
	}
	assert_int_equal(tensor_alloc(&tensor, TENSOR_FLOAT, (int64_t[]){ 0 }, 1, NULL), 0);
	assert_non_null(tensor.data);
	tensor_done(&tensor);
	tensor_done(&tensor);
}

TEST(memory_that_nobody_has_is_an_error)
{
	struct err err = { 0 };
	struct tensor tensor;

	assert_int_equal(tensor_alloc(&tensor, TENSOR_UINT8, (int64_t[]){ INT64_MAX >> 4 }, 1, &err), -ENOMEM);
	assert_int_equal(tensor_alloc(&tensor, TENSOR_STRING, (int64_t[]){ INT64_MAX >> 2 }, 1, &err), -ENOMEM);
	assert_string_equal(
	    err.msg, "cannot allocate 18446744073709551615 bytes for string[2305843009213693951]: out of memory");
	tensor_done(&tensor);
}

TEST(borrowed_bytes_must_be_what_the_shape_needs)
{
	struct err err = { 0 };
	struct tensor tensor;
	float data[6];

	assert_int_equal(tensor_borrow(&tensor, TENSOR_FLOAT, (int64_t[]){ 2, 3 }, 2,
				       &(struct tensor_bytes){ data, sizeof data }, &err),
			 0);
	assert_ptr_equal(tensor.data, data);
	tensor_done(&tensor);
	assert_int_equal(
	    tensor_borrow(&tensor, TENSOR_FLOAT, (int64_t[]){ 2, 3 }, 2, &(struct tensor_bytes){ data, 23 }, &err),
	    -EINVAL);
	assert_string_equal(err.msg, "cannot use 23 bytes: the shape needs 24");
	assert_null(tensor.data);
	assert_int_equal(tensor_borrow(&tensor, TENSOR_FLOAT, (int64_t[]){ 5 }, 1,
				       &(struct tensor_bytes){ data, sizeof data }, &err),
			 -EINVAL);
	assert_int_equal(
	    tensor_borrow(&tensor, TENSOR_STRING, (int64_t[]){ 1 }, 1, &(struct tensor_bytes){ data, 0 }, &err),
	    -EINVAL);
}

TEST(strings_are_cut_out_of_one_text)
{
	struct tensor tensor;

	assert_int_equal(tensor_alloc_strings(&tensor, (int64_t[]){ 2, 2 }, 2,
					      &(struct tensor_texts){ "ab\0cdef", 7, (size_t[]){ 0, 2, 2, 5 } }, NULL),
			 0);
	assert_string_equal(tensor.strings[0], "ab");
	assert_string_equal(tensor.strings[1], "");
	assert_int_equal(tensor.string_bytes[2], 3);
	assert_memory_equal(tensor.strings[2], "\0cd", 4);
	assert_string_equal(tensor.strings[3], "ef");
	tensor_done(&tensor);
	assert_int_equal(tensor_alloc_strings(&tensor, (int64_t[]){ 2 }, 1,
					      &(struct tensor_texts){ "ab", 2, (size_t[]){ 1, 0 } }, NULL),
			 -EINVAL);
	assert_int_equal(tensor_alloc_strings(&tensor, (int64_t[]){ 2 }, 1,
					      &(struct tensor_texts){ "ab", 2, (size_t[]){ 0, 3 } }, NULL),
			 -EINVAL);
	assert_int_equal(
	    tensor_alloc_strings(&tensor, (int64_t[]){ 0 }, 1, &(struct tensor_texts){ NULL, 0, NULL }, NULL), 0);
	tensor_done(&tensor);
}

TEST(shapes_and_places_are_said)
{
	struct tensor tensor, other;
	char text[64], few[10];

	assert_int_equal(tensor_alloc(&tensor, TENSOR_FLOAT16, (int64_t[]){ 2, 3, 4 }, 3, NULL), 0);
	assert_string_equal(tensor_describe(&tensor, text, sizeof text), "float16[2,3,4]");
	assert_string_equal(tensor_describe(&tensor, few, sizeof few), "float16[2");
	assert_string_equal(tensor_place(&tensor, 23, text, sizeof text), "[1,2,3]");
	assert_string_equal(tensor_place(&tensor, 4, text, sizeof text), "[0,1,0]");
	assert_int_equal(tensor_alloc(&other, TENSOR_INT8, (int64_t[]){ 2, 3 }, 2, NULL), 0);
	assert_false(tensor_same_shape(&tensor, &other));
	assert_true(tensor_same_shape(&other, &other));
	tensor_done(&tensor);
	tensor_done(&other);
	assert_int_equal(tensor_alloc(&tensor, TENSOR_BOOL, NULL, 0, NULL), 0);
	assert_string_equal(tensor_describe(&tensor, text, sizeof text), "bool[]");
	assert_string_equal(tensor_place(&tensor, 0, text, sizeof text), "[]");
	tensor_done(&tensor);
}
