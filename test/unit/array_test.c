// SPDX-License-Identifier: Apache-2.0
/* Blocks that grow where they are, and elsewhere because something lies behind them. */
#include "base/array.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/processor.h"
#include "cases.h"

enum { STEPS = 5 };
static const size_t first = 4 << 20;

/* Where the mapping ends that has this byte. */
static char *end_of_mapping(const char *at)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long long from, to, end = 0;
	char line[512];

	while (fgets(line, sizeof line, maps))
		if (sscanf(line, "%llx-%llx", &from, &to) == 2 && (uintptr_t)at >= from && (uintptr_t)at < to)
			end = to;
	fclose(maps);
	return (char *)(uintptr_t)end;
}

static void fill(char *block, size_t from, size_t to)
{
	for (size_t i = from; i < to; i += 4096)
		block[i] = (char)(i >> 12);
}

static void has(const char *block, size_t bytes, size_t zeros_to)
{
	for (size_t i = 0; i < bytes; i += 4096)
		assert_int_equal(block[i], (char)(i >> 12));
	for (size_t i = bytes; i < zeros_to; i += 4096)
		assert_int_equal(block[i], 0);
}

/* Before Linux 6.17 a block of several mappings could not be moved again. */
TEST(a_block_that_moves_stays_one_mapping)
{
	size_t bytes = first;
	char *block = array_resize(NULL, 0, bytes), *moved;
	void *behind[STEPS];

	assert_non_null(block);
	fill(block, 0, bytes);
	for (int i = 0; i < STEPS; i++, bytes *= 2, block = moved) {
		behind[i] = mmap(block + bytes, page_size(), PROT_NONE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
		moved = array_resize(block, bytes, 2 * bytes);
		assert_non_null(moved);
		assert_ptr_not_equal(moved, block);
		has(moved, bytes, 2 * bytes);
		assert_true(end_of_mapping(moved) >= moved + 2 * bytes);
		fill(moved, bytes, 2 * bytes);
	}
	array_free(block, bytes);
	for (int i = 0; i < STEPS; i++)
		if (behind[i] != MAP_FAILED)
			munmap(behind[i], page_size());
}

TEST(small_blocks_become_large_ones)
{
	char *block = NULL;
	size_t bytes = 0;

	for (size_t size = 4096; size <= first; bytes = size, size *= 2) {
		block = array_resize(block, bytes, size);
		assert_non_null(block);
		has(block, bytes, bytes);
		fill(block, bytes, size);
	}
	has(block, bytes, bytes);
	array_free(block, bytes);
}

TEST(room_is_zeroed_and_keeps_what_is_there)
{
	uint32_t *value = NULL, capacity = 0;

	for (uint32_t i = 0; i < 1000; i++) {
		assert_true(ARRAY_ROOM(value, capacity, i + 1));
		assert_int_equal(value[i], 0);
		value[i] = i + 1;
	}
	for (uint32_t i = 0; i < 1000; i++)
		assert_int_equal(value[i], i + 1);
	assert_true(capacity >= 1000 && capacity <= 2000);
	free(value);
}

TEST(room_that_there_is_no_memory_for_changes_nothing)
{
	struct {
		char bytes[1 << 20];
	} *value = NULL, *before;
	size_t capacity = 0;

	assert_true(ARRAY_ROOM(value, capacity, 1));
	before = value;
	assert_false(ARRAY_ROOM(value, capacity, SIZE_MAX / 4));
	assert_ptr_equal(value, before);
	assert_int_equal(capacity, 4);
	free(value);
}
