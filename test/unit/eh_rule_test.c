// SPDX-License-Identifier: Apache-2.0
/* This program's own frames, and the C library's in between, walked by their tables; compared with the compiler's. */
#include "runtime/find/eh_rule.h"

#include <stdlib.h>
#include <string.h>

#include "base/processor.h"
#include "cases.h"

enum { MOST = 16 };

struct walked {
	uint64_t address[MOST], frame[MOST];
	int n;
};

static struct image_set set;
static struct walked walked, wanted;

static const struct image *image_of(uint64_t address)
{
	for (size_t i = 0; i < set.n; i++)
		if (image_has(&set.image[i], address, IMAGE_X))
			return &set.image[i];
	return NULL;
}

static bool rule_of(uint64_t address, struct eh_rule *rule)
{
	const struct image *image = image_of(address - 1);
	struct eh_frame frames;
	struct err err;

	return image && !eh_frame_open(&frames, image, image->frames, image->frames_end, &err) &&
	       eh_rule_find(&frames, address, rule);
}

static __attribute__((noinline)) void walk(void)
{
	uint64_t stack = (uint64_t)(uintptr_t)__builtin_dwarf_cfa();
	uint64_t pointer = *(const uint64_t *)__builtin_frame_address(0);
	uint64_t address = (uint64_t)(uintptr_t)__builtin_return_address(0);
	struct eh_rule rule;

	for (walked.n = 0; walked.n < MOST && rule_of(address, &rule) && !rule.is_end; walked.n++) {
		uint64_t frame = (rule.is_by_frame_pointer ? pointer : stack) + (uint64_t)(int64_t)rule.cfa;

		walked.address[walked.n] = address;
		walked.frame[walked.n] = frame;
		address = *(const uint64_t *)(uintptr_t)(frame + (uint64_t)(int64_t)rule.return_at);
		address &= (UINT64_C(1) << 48) - 1;
		if (rule.has_frame_pointer)
			pointer = *(const uint64_t *)(uintptr_t)(frame + (uint64_t)(int64_t)rule.frame_pointer_at);
		stack = frame;
	}
}

/* Functions of which each has a frame of another form; what they leave on the stack they have from the compiler. */
static void note(const void *frame)
{
	wanted.frame[wanted.n++] = (uint64_t)(uintptr_t)frame;
}

static __attribute__((noinline)) int innermost(int n)
{
	note(__builtin_dwarf_cfa());
	walk();
	return n + 1;
}

static __attribute__((noinline)) int of_any_size(int n)
{
	char *room = __builtin_alloca((size_t)n);

	memset(room, n, (size_t)n);
	note(__builtin_dwarf_cfa());
	return innermost(room[n / 2]) + room[0];
}

static __attribute__((noinline)) int large(int n)
{
	volatile char room[5000];

	room[n] = 7;
	note(__builtin_dwarf_cfa());
	return of_any_size(100 + n) + room[n];
}

static bool has_walked;

/* The C library's qsort calls it. */
static int compare(const void *a, const void *b)
{
	if (!has_walked) {
		has_walked = true;
		note(__builtin_dwarf_cfa());
		large(*(const int *)a);
	}
	return *(const int *)a - *(const int *)b;
}

TEST(frames_lie_where_the_compiler_says)
{
	int number[] = { 3, 1, 2 };

	assert_int_equal(image_set_self(&set), 0);
	qsort(number, 3, sizeof *number, compare);
	assert_int_equal(wanted.n, 4);
	for (int i = 0; i < 4; i++)
		assert_int_equal(walked.frame[i], wanted.frame[3 - i]);
	/* through the C library, on to main and what called it */
	assert_true(walked.n > 6);
	assert_ptr_not_equal(image_of(walked.address[4]), image_of(walked.address[0]));
	image_set_done(&set);
}

/* What is not the table of a function has no rule. */
TEST(addresses_without_a_function_have_no_rule)
{
	struct eh_rule rule;
	const struct image *image;

	assert_int_equal(image_set_self(&set), 0);
	image = image_of((uint64_t)(uintptr_t)walk);
	assert_non_null(image);
	assert_false(rule_of(8, &rule));
	assert_false(rule_of(image->segment[0].start + 1, &rule));
	image_set_done(&set);
}
