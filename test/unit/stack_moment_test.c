// SPDX-License-Identifier: Apache-2.0
/* How often the kernel copies the stack of a thread that runs. */
#include "capture/stacks/stack_moment.h"

#include "cases.h"

enum { LEAST = 1000 };

struct fixture {
	struct stack_moments moments;
	uint64_t ran_ns, waited_ns;
};

/* The period after a moment before which the thread ran and waited that long. */
static uint64_t period_after(struct fixture *f, uint64_t ran_ns, uint64_t waited_ns, bool are_many)
{
	struct stack_pace pace = { f->ran_ns += ran_ns, f->waited_ns += waited_ns, LEAST, are_many, !are_many };

	stack_moments_pace(&f->moments, &pace);
	return f->moments.period_ns;
}

TEST(moments_are_rare_while_a_thread_waits_more_than_it_runs)
{
	struct fixture f = { .moments = { .period_ns = LEAST } };

	assert_int_equal(period_after(&f, LEAST, LEAST, false), LEAST);
	for (uint64_t period = 2 * LEAST; period <= 16 * LEAST; period *= 2)
		assert_int_equal(period_after(&f, LEAST, LEAST + 1, false), period);
	assert_int_equal(period_after(&f, LEAST, 9 * LEAST, false), 16 * LEAST);
	assert_int_equal(period_after(&f, LEAST, LEAST / 2, false), LEAST);
}

TEST(moments_are_rare_while_there_are_many)
{
	struct fixture f = { .moments = { .period_ns = LEAST } };

	assert_int_equal(period_after(&f, LEAST, 0, true), 2 * LEAST);
	assert_int_equal(period_after(&f, LEAST, 2 * LEAST, true), 4 * LEAST);
	assert_int_equal(period_after(&f, LEAST, 2 * LEAST, false), 8 * LEAST);
	assert_int_equal(period_after(&f, LEAST, 0, false), LEAST);
}
