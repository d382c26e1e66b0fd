// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cases.h"
#include "model/tensor/tensor_file.h"
#include "tensor_data.h"

static int read_npz(const char *path, struct err *err)
{
	struct tensor_list list = { 0 };
	int ret = tensor_file_read(path, &list, err);

	if (ret)
		assert_null(list.item);
	tensor_list_done(&list);
	return ret;
}

TEST(good_files_are_read_and_bad_ones_refused)
{
	each_file_reads("npz", read_npz, true);
	each_file_reads("npz", read_npz, false);
}

TEST(arrays_come_by_name)
{
	static const char *const names[] = { "stored", "deflated" };
	struct tensor_list list = { 0 };
	char path[4096];

	for (size_t i = 0; i < 2; i++) {
		snprintf(path, sizeof path, TEST_DIR "/data/npz/good/%s.npz", names[i]);
		assert_int_equal(tensor_file_read(path, &list, NULL), 0);
		assert_int_equal(list.n, 2);
		assert_string_equal(list.item[0].name, "x");
		assert_string_equal(list.item[1].name, "a/\xc3\xa9");
		assert_int_equal(list.item[0].position, -1);
		assert_int_equal(list.item[0].tensor.type, TENSOR_INT32);
		assert_int_equal(tensor_get_int(&list.item[0].tensor, 2), 2);
		assert_int_equal(list.item[1].tensor.n_elements, 400);
		tensor_list_done(&list);
	}
}

/* 57 kB that would unpack to 1.1 GiB. */
TEST(a_bomb_is_refused_before_it_goes_off)
{
	struct rusage before, after;
	struct err err = { 0 };

	getrusage(RUSAGE_SELF, &before);
	assert_int_equal(read_npz(TEST_DIR "/data/npz/bad/bomb.npz", &err), -E2BIG);
	getrusage(RUSAGE_SELF, &after);
	assert_true(after.ru_maxrss - before.ru_maxrss < 1024);
}

TEST(refusals_say_what_is_wrong)
{
	assert_refusal(read_npz, "npz/bad/lie.npz", "file 0 of the archive: 85 bytes cannot unpack to 1073741824");
	assert_refusal(read_npz, "npz/bad/encrypted.npz", "encrypted");
	assert_refusal(read_npz, "npz/bad/method.npz", "method 14");
	assert_refusal(read_npz, "npz/bad/check_sum.npz", "the checksum does not match");
	assert_refusal(read_npz, "npz/bad/damaged.npz", "decompression failed");
	assert_refusal(read_npz, "npz/bad/packed_size.npz", "outside the archive");
	assert_refusal(read_npz, "npz/bad/more_entries.npz", "expected a directory entry");
	assert_refusal(read_npz, "npz/bad/fewer_entries.npz", "longer than it claims");
	assert_refusal(read_npz, "npz/bad/text.npz", "its name does not end in .npy");
}
