// SPDX-License-Identifier: Apache-2.0
/* How much of a disk recordings leave free. test/e2e records to a small one. */
#include "capture/recorder/recorder_disk.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "cases.h"

static const uint64_t mib = 1 << 20, gib = 1 << 30;

TEST(small_disk_keeps_a_twentieth)
{
	assert_int_equal(recorder_disk_reserve(100 * mib), 5 * mib);
	assert_int_equal(recorder_disk_left(100 * mib, 30 * mib), 25 * mib);
}

TEST(large_disk_keeps_a_gibibyte)
{
	assert_int_equal(recorder_disk_reserve(20 * gib), gib);
	assert_int_equal(recorder_disk_reserve(8000 * gib), gib);
	assert_int_equal(recorder_disk_left(8000 * gib, 3 * gib), 2 * gib);
}

TEST(nothing_is_left_when_only_the_reserve_is_free)
{
	assert_int_equal(recorder_disk_left(100 * mib, 5 * mib), 0);
	assert_int_equal(recorder_disk_left(100 * mib, 5 * mib + 1), 1);
	assert_int_equal(recorder_disk_left(100 * mib, 0), 0);
}

TEST(what_is_no_file_has_no_disk)
{
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

	assert_true(recorder_disk_left_of(fd) == UINT64_MAX);
	assert_true(recorder_disk_left_of(-1) == UINT64_MAX);
	close(fd);
}
