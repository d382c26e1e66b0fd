// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cases.h"
#include "model/tensor/tensor_file.h"
#include "tensor_data.h"

static int read_pb(const char *path, struct err *err)
{
	struct tensor tensor;
	char *name = NULL;
	int ret = tensor_pb_read(path, &tensor, &name, err);

	if (ret)
		assert_null(name);
	else
		tensor_done(&tensor);
	free(name);
	return ret;
}

TEST(good_files_are_read_and_bad_ones_refused)
{
	each_file_reads("tensor_pb", read_pb, true);
	each_file_reads("tensor_pb", read_pb, false);
}

static void assert_is(const char *file, const char *description, size_t n, const double *value)
{
	struct err err = { 0 };
	struct tensor tensor;
	char path[4096], text[80];

	snprintf(path, sizeof path, TEST_DIR "/data/tensor_pb/good/%s.pb", file);
	if (tensor_pb_read(path, &tensor, NULL, &err))
		fail_msg("%s", err.msg);
	assert_string_equal(tensor_describe(&tensor, text, sizeof text), description);
	for (size_t i = 0; i < n; i++)
		assert_true(tensor_get(&tensor, i, 0) == value[i]);
	tensor_done(&tensor);
}

TEST(values_are_those_of_the_file)
{
	assert_is("raw_float", "float32[2,3]", VALUES(0, 1, 2, 3, 4, 5));
	assert_is("raw_int4", "int4[3]", VALUES(1, -2, 3));
	assert_is("int4", "int4[3]", VALUES(1, -2, 3));
	assert_is("raw_float6", "float6e2m3[3]", VALUES(1, -2, 0.5));
	assert_is("float6", "float6e3m2[5]", VALUES(0, 1, 2, 3, -1));
	assert_is("uint2", "uint2[5]", VALUES(0, 1, 2, 3, 1));
	assert_is("half", "float16[2]", VALUES(1, -2));
	assert_is("complex", "complex64[1]", VALUES(1));
	assert_is("uint64", "uint64[1]", VALUES(0x1p64));
	assert_is("uint32", "uint32[1]", VALUES(4294967295));
	assert_is("scalar", "int64[]", VALUES(-1));
	assert_is("not_packed", "int32[1,2]", VALUES(3, 4));
	assert_is("bool_seven", "bool[2]", VALUES(1, 0));
	assert_is("raw_empty", "float64[0,2]", 0, NULL);
}

TEST(a_name_and_strings_are_texts)
{
	struct tensor tensor;
	char *name;

	assert_int_equal(tensor_pb_read(TEST_DIR "/data/tensor_pb/good/string.pb", &tensor, &name, NULL), 0);
	assert_string_equal(name, "x");
	assert_string_equal(tensor.strings[0], "a");
	assert_string_equal(tensor.strings[1], "日本");
	free(name);
	tensor_done(&tensor);
	assert_int_equal(tensor_pb_read(TEST_DIR "/data/tensor_pb/good/raw_int4.pb", &tensor, &name, NULL), 0);
	assert_string_equal(name, "");
	free(name);
	tensor_done(&tensor);
}

/* A folder test_data_set_0 with files of these names, all of them the same tensor; removed by the next call with NULL.
 */
static const char *folder_with(const char *const *files)
{
	static char top[] = "/tmp/inftrace-test-XXXXXX", set[sizeof top + 20];
	char command[8192];

	if (!files) {
		snprintf(command, sizeof command, "rm -r %s", top);
		assert_int_equal(system(command), 0);
		memcpy(strchr(top, 0) - 6, "XXXXXX", 6);
		return NULL;
	}
	assert_non_null(mkdtemp(top));
	snprintf(set, sizeof set, "%s/test_data_set_0", top);
	assert_int_equal(mkdir(set, 0700), 0);
	for (; *files; files++) {
		snprintf(command, sizeof command, "cp " TEST_DIR "/data/tensor_pb/good/scalar.pb %s/%s", set, *files);
		assert_int_equal(system(command), 0);
	}
	return top;
}

TEST(a_folder_has_its_tensors_in_the_order_of_their_numbers)
{
	const char *top = folder_with((const char *const[]){ "input_10.pb", "input_2.pb", "input_1.pb", "input_0.pb",
							     "input_3.pb", "input_4.pb", "input_5.pb", "input_6.pb",
							     "input_7.pb", "input_8.pb", "input_9.pb", "output_0.pb",
							     "input_x.pb", "inputs.pb", "input_1.pb~", NULL });
	struct tensor_list list = { 0 };
	char set[4096];

	assert_int_equal(tensor_pb_count_sets(top), 1);
	snprintf(set, sizeof set, "%s/test_data_set_0", top);
	assert_int_equal(tensor_file_read(set, &list, NULL), 0);
	assert_int_equal(list.n, 11);
	for (int i = 0; i < 11; i++)
		assert_int_equal(list.item[i].position, i);
	tensor_list_done(&list);
	assert_int_equal(tensor_pb_read_folder(set, "output", &list, NULL), 0);
	assert_int_equal(list.n, 1);
	tensor_list_done(&list);
	folder_with(NULL);
}

TEST(a_folder_with_a_gap_is_not_read_in_part)
{
	const char *top = folder_with((const char *const[]){ "input_0.pb", "input_2.pb", NULL });
	struct tensor_list list = { 0 };
	struct err err = { 0 };
	char set[4096];

	snprintf(set, sizeof set, "%s/test_data_set_0", top);
	assert_int_equal(tensor_pb_read_folder(set, "input", &list, &err), -ENOENT);
	assert_non_null(strstr(err.msg, "input_1.pb"));
	assert_null(list.item);
	assert_int_equal(tensor_pb_read_folder(set, "output", &list, &err), -ENOENT);
	assert_non_null(strstr(err.msg, "output_0.pb does not exist"));
	folder_with(NULL);
	assert_int_equal(tensor_pb_count_sets("/no/such/folder"), 0);
	assert_int_equal(tensor_pb_read_folder("/no/such/folder", "input", &list, &err), -ENOENT);
}

TEST(what_is_no_tensor_at_all_is_said_to_be_none)
{
	struct tensor_list list = { 0 };
	struct err err = { 0 };

	spill("just some text\n", 15);
	assert_int_equal(tensor_file_read(scratch(), &list, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "neither .npy nor .npz"));
	unlink(scratch());
}

TEST(refusals_say_what_is_wrong)
{
	assert_refusal(read_pb, "tensor_pb/bad/sequence.pb", "a sequence, an optional or a map");
	assert_refusal(read_pb, "tensor_pb/bad/optional.pb", "a sequence, an optional or a map");
	assert_refusal(read_pb, "tensor_pb/bad/external.pb", "external data");
	assert_refusal(read_pb, "tensor_pb/bad/few.pb", "3 values, but its shape needs 4");
	assert_refusal(read_pb, "tensor_pb/bad/many_values.pb", "2 values, but its shape needs 1");
	assert_refusal(read_pb, "tensor_pb/bad/raw_many.pb", "12 bytes of data, but its shape needs 8");
	assert_refusal(read_pb, "tensor_pb/bad/wide_up.pb", "value 0 is 256, which uint8 does not have");
	assert_refusal(read_pb, "tensor_pb/bad/packed_cut.pb", "value 1 is truncated");
	assert_refusal(read_pb, "tensor_pb/bad/unknown_type.pb", "type is 99");
}
