// SPDX-License-Identifier: Apache-2.0
/* Files that are mapped in this process, found by an address inside of them. */
#include "capture/agent/replace/mapped_file.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cases.h"

TEST(an_address_in_a_mapped_file_has_its_path)
{
	char path[] = "/tmp/mapped file XXXXXX", found[PATH_MAX];
	int fd = mkstemp(path);
	char *data;

	assert_int_equal(ftruncate(fd, 8192), 0);
	data = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_ptr_not_equal(data, MAP_FAILED);
	assert_true(mapped_file_at((uint64_t)data + 5000, found, sizeof found));
	assert_string_equal(found, path);
	assert_false(mapped_file_at((uint64_t)data, found, 4));
	unlink(path);
	assert_true(mapped_file_at((uint64_t)data, found, sizeof found));
	assert_string_equal(found, path);
	munmap(data, 8192);
	assert_false(mapped_file_at((uint64_t)data, found, sizeof found));
	close(fd);
}

TEST(memory_of_no_file_has_none)
{
	char found[PATH_MAX], *heap = malloc(100);

	assert_false(mapped_file_at((uint64_t)heap, found, sizeof found));
	assert_false(mapped_file_at((uint64_t)found, found, sizeof found));
	assert_false(mapped_file_at(8, found, sizeof found));
	free(heap);
}
