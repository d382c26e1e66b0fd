// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <unistd.h>

#include "cases.h"
#include "model/tensor/tensor_file.h"
#include "tensor_data.h"

static int read_npy(const char *path, struct err *err)
{
	struct tensor tensor;
	int ret = tensor_npy_read(path, &tensor, err);

	if (!ret)
		tensor_done(&tensor);
	return ret;
}

TEST(good_files_are_read_and_bad_ones_refused)
{
	each_file_reads("npy", read_npy, true);
	each_file_reads("npy", read_npy, false);
}

static struct tensor from(const char *name)
{
	struct err err = { 0 };
	struct tensor tensor;
	char path[4096];

	snprintf(path, sizeof path, TEST_DIR "/data/npy/good/%s.npy", name);
	if (tensor_npy_read(path, &tensor, &err))
		fail_msg("%s", err.msg);
	return tensor;
}

static void assert_is(struct tensor tensor, const char *description, size_t n, const double *value)
{
	char text[80];

	assert_string_equal(tensor_describe(&tensor, text, sizeof text), description);
	assert_int_equal(tensor.n_elements, n);
	for (size_t i = 0; i < n; i++)
		assert_true(tensor_get(&tensor, i, 0) == value[i]);
	tensor_done(&tensor);
}

TEST(values_are_those_of_the_file)
{
	assert_is(from("float"), "float32[2,3]", VALUES(0, 1, 2, 3, 4, 5));
	assert_is(from("scalar"), "int64[]", VALUES(7));
	assert_is(from("half_big"), "float16[2]", VALUES(0.5, -2));
	assert_is(from("complex_big"), "complex64[1]", VALUES(1));
	assert_is(from("python2"), "int16[1,2]", VALUES(1, 2));
	assert_is(from("uint64"), "uint64[1]", VALUES(0x1p64));
	assert_is(from("bool_seven"), "bool[2]", VALUES(1, 0));
	assert_is(from("fortran"), "float64[2,3,4]",
		  VALUES(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23));
	assert_is(from("empty"), "int64[0,3]", 0, NULL);
}

TEST(both_kinds_of_strings_become_bytes)
{
	struct tensor unicode = from("unicode"), bytes = from("bytes"), big = from("unicode_big");

	assert_string_equal(unicode.strings[1], "\xc3\xa9\xf0\x9f\x98\x80");
	assert_string_equal(bytes.strings[1], "\xff"
					      "bc");
	assert_int_equal(bytes.string_bytes[0], 1);
	assert_int_equal(big.string_bytes[0], 1);
	assert_string_equal(big.strings[0], "b");
	assert_string_equal(big.strings[1], "ab");
	tensor_done(&unicode);
	tensor_done(&bytes);
	tensor_done(&big);
}

TEST(what_is_written_comes_back_for_every_type)
{
	for (int type = 1; type < TENSOR_N_TYPES; type++) {
		struct tensor tensor = make(type, 2, (int64_t[]){ 3, 5 }), back;
		struct tensor_diff diff;
		struct err err = { 0 };
		assert_int_equal(tensor_fill(&tensor, &(struct tensor_fill){ .seed = 9 }, "x", &err), 0);
		assert_int_equal(tensor_npy_write(&tensor, scratch(), &err), 0);
		assert_int_equal(tensor_npy_read(scratch(), &back, &err), 0);
		if (tensor_npy_retype(&back, type, &err))
			fail_msg("%s: %s", tensor_type_name(type), err.msg);
		if (!tensor_compare(&tensor, &back, (struct tensor_tolerance){ 0 }, &diff))
			fail_msg("%s: %s", tensor_type_name(type), diff.why);
		tensor_done(&tensor);
		tensor_done(&back);
	}
	unlink(scratch());
}

TEST(strings_that_are_no_text_are_written_as_bytes)
{
	struct tensor tensor, back;

	assert_int_equal(tensor_alloc_strings(&tensor, (int64_t[]){ 2 }, 1,
					      &(struct tensor_texts){ "\xff\xc3\xa9", 3, (size_t[]){ 0, 1 } }, NULL),
			 0);
	assert_int_equal(tensor_npy_write(&tensor, scratch(), NULL), 0);
	assert_int_equal(tensor_npy_read(scratch(), &back, NULL), 0);
	assert_string_equal(back.strings[0], "\xff");
	assert_string_equal(back.strings[1], "\xc3\xa9");
	tensor_done(&tensor);
	tensor_done(&back);
	unlink(scratch());
}

TEST(a_type_is_only_taken_back_where_it_was_lost)
{
	struct tensor bytes = make_of(TENSOR_UINT8, VALUES(1, 15, 16)), words = make_of(TENSOR_UINT16, VALUES(1)),
		      ints = make_of(TENSOR_INT8, VALUES(-8, 7, 8));
	const enum tensor_type never[] = { TENSOR_FLOAT,     TENSOR_BOOL,     TENSOR_FLOAT16,
					   TENSOR_STRING,    TENSOR_UINT16,   TENSOR_INT8,
					   TENSOR_UNDEFINED, TENSOR_BFLOAT16, TENSOR_COMPLEX64 };
	struct err err = { 0 };

	for (size_t i = 0; i < sizeof never / sizeof *never; i++)
		assert_int_equal(tensor_npy_retype(&bytes, never[i], &err), -EINVAL);
	assert_int_equal(tensor_npy_retype(&bytes, TENSOR_UINT4, &err), -EINVAL);
	assert_string_equal(err.msg, "cannot take element 2 as uint4: it is 16, beyond 0 to 15");
	assert_int_equal(bytes.type, TENSOR_UINT8);
	assert_int_equal(tensor_npy_retype(&bytes, TENSOR_FLOAT8E5M2, &err), 0);
	assert_int_equal(tensor_npy_retype(&words, TENSOR_FLOAT16, &err), -EINVAL);
	assert_int_equal(tensor_npy_retype(&words, TENSOR_BFLOAT16, &err), 0);
	assert_int_equal(tensor_npy_retype(&words, TENSOR_BFLOAT16, &err), 0);
	assert_int_equal(tensor_npy_retype(&ints, TENSOR_INT4, &err), -EINVAL);
	assert_string_equal(err.msg, "cannot take element 2 as int4: it is 8, beyond -8 to 7");
	assert_int_equal(tensor_npy_retype(&ints, TENSOR_UINT4, &err), -EINVAL);
	tensor_put_int(&ints, 2, -9);
	assert_int_equal(tensor_npy_retype(&ints, TENSOR_INT4, &err), -EINVAL);
	tensor_put_int(&ints, 2, -1);
	assert_int_equal(tensor_npy_retype(&ints, TENSOR_INT4, &err), 0);
	assert_int_equal(tensor_get_int(&ints, 2), -1);
	tensor_done(&bytes);
	tensor_done(&words);
	tensor_done(&ints);
}

TEST(a_full_disk_is_an_error)
{
	struct tensor tensor = make(TENSOR_FLOAT, 1, (int64_t[]){ 100000 });
	struct err err = { 0 };

	assert_int_equal(tensor_npy_write(&tensor, "/dev/full", &err), -ENOSPC);
	assert_string_equal(err.msg, "cannot write /dev/full: No space left on device");
	/* A device is not removed. */
	assert_int_equal(access("/dev/full", F_OK), 0);
	assert_int_equal(tensor_npy_write(&tensor, "/no/such/folder/x.npy", &err), -ENOENT);
	tensor_done(&tensor);
}

TEST(what_is_no_file_is_not_waited_for)
{
	struct err err = { 0 };
	struct tensor tensor;

	assert_int_equal(tensor_npy_read("/dev/zero", &tensor, &err), -EINVAL);
	assert_string_equal(err.msg, "/dev/zero: cannot read it: it is not a regular file");
	assert_int_equal(tensor_npy_read("/no/such/file", &tensor, &err), -ENOENT);
}

TEST(refusals_say_what_is_wrong)
{
	assert_refusal(read_npy, "npy/bad/header_cut.npy", "within its header of 5000 bytes");
	assert_refusal(read_npy, "npy/bad/dim_overflow.npy",
		       "at byte 79: expected a dimension that fits in memory in the header");
	assert_refusal(read_npy, "npy/bad/overflow.npy", "no memory is that large");
	assert_refusal(read_npy, "npy/bad/cut.npy", "6 elements of 4 bytes need more than the 23 bytes present");
	assert_refusal(read_npy, "npy/bad/more.npy", "at byte 152: data follow");
	assert_refusal(read_npy, "npy/bad/object.npy", "Python objects");
	assert_refusal(read_npy, "npy/bad/structure.npy", "structures");
	assert_refusal(read_npy, "npy/bad/long_double.npy", "dtype '<f16'");
	assert_refusal(read_npy, "npy/bad/version4.npy", "version 4");
}
