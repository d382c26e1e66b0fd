// SPDX-License-Identifier: Apache-2.0
/* Which of several rows of integers are tokens. */
#include "capture/agent/run/prompt.h"

#include <errno.h>

#include "cases.h"

enum { N = 20, INT32 = 6, INT64 = 7, FLOAT = 1 };

static int64_t tokens[N], mask[N], positions[N], padded[N], negative[N], large[N];
static int32_t small[N];

static void fill(void)
{
	for (int i = 0; i < N; i++) {
		small[i] = 7 * i % 50;
		tokens[i] = small[i];
		mask[i] = i > 4;
		positions[i] = i;
		padded[i] = i < 5 ? 1 : i - 5;
		negative[i] = i % 2 ? -100 : 40;
		large[i] = INT64_C(1) << 40 | i * i;
	}
}

static struct prompt_row row(const void *data, uint32_t type)
{
	const struct shape shape = { .type = type, .n_dims = 2, .dim = { 1, N } };

	return prompt_row_of((uintptr_t)data, &shape);
}

TEST(masks_and_positions_are_no_tokens)
{
	struct prompt_row rows[] = { row(mask, INT64),	   row(positions, INT64), row(padded, INT64),
				     row(negative, INT64), row(large, INT64),	  row(tokens, INT64) };

	(void)state;
	fill();
	assert_int_equal(prompt_first_of(rows, 6), 5);
	assert_int_equal(prompt_first_of(rows, 5), 5);
	assert_int_equal(prompt_first_of((struct prompt_row[]){ row(small, INT32) }, 1), 0);
}

TEST(a_row_that_cannot_be_read_is_passed_over)
{
	struct prompt_row rows[] = { row((const void *)64, INT64), row(tokens, INT64) };

	(void)state;
	fill();
	errno = 7;
	assert_int_equal(prompt_first_of(rows, 2), 1);
	assert_int_equal(errno, 7);
}

TEST(only_one_row_of_integers_that_is_long_enough_is_looked_at)
{
	struct shape shape = { .type = INT64, .n_dims = 2, .dim = { 1, N } };

	(void)state;
	assert_int_equal(prompt_row_of((uintptr_t)tokens, &shape).n, N);
	assert_int_equal(prompt_row_of(0, &shape).n, 0);
	shape.dim[0] = 2;
	assert_int_equal(prompt_row_of((uintptr_t)tokens, &shape).n, 0);
	shape = (struct shape){ .type = INT64, .n_dims = 2, .dim = { 1, 15 } };
	assert_int_equal(prompt_row_of((uintptr_t)tokens, &shape).n, 0);
	shape = (struct shape){ .type = FLOAT, .n_dims = 2, .dim = { 1, N } };
	assert_int_equal(prompt_row_of((uintptr_t)tokens, &shape).n, 0);
	shape = (struct shape){ .type = INT64, .n_dims = 1, .dim = { N } };
	assert_int_equal(prompt_row_of((uintptr_t)tokens, &shape).n, 0);
}
