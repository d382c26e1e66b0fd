// SPDX-License-Identifier: Apache-2.0
/* The processor's flag of subnormal numbers: seen for each inference, and as it was afterwards. */
#include "capture/agent/subnormal.h"

#include <stdint.h>

#include "cases.h"

static volatile float tiny = 1e-39f, normal = 0.5f, result;

static bool is_set(void)
{
	return _mm_getcsr() & SUBNORMAL_FLAG;
}

static int begin(void **state)
{
	_mm_setcsr(_mm_getcsr() & ~(SUBNORMAL_FLAG | 0x3du));
	return 0;
}

TEST_WITH(a_subnormal_operand_is_seen, begin, NULL)
{
	bool was_set = subnormal_begin();

	result = tiny * normal;
	assert_true(subnormal_end(was_set));
	assert_true(is_set()); /* as the program would find it */
}

TEST_WITH(normal_numbers_are_not, begin, NULL)
{
	bool was_set = subnormal_begin();

	result = normal * normal;
	assert_false(subnormal_end(was_set));
	assert_false(is_set());
}

TEST_WITH(one_before_is_not_counted_and_not_forgotten, begin, NULL)
{
	bool was_set;

	result = tiny * normal;
	was_set = subnormal_begin();
	result = normal * normal;
	assert_false(subnormal_end(was_set));
	assert_true(is_set());
}

TEST_WITH(one_inside_another_counts_for_both, begin, NULL)
{
	bool outer = subnormal_begin(), inner;

	inner = subnormal_begin();
	result = tiny * normal;
	assert_true(subnormal_end(inner));
	inner = subnormal_begin();
	result = normal * normal;
	assert_false(subnormal_end(inner));
	assert_true(subnormal_end(outer));
}

TEST_WITH(taken_as_zero_it_costs_nothing_and_is_not_seen, begin, NULL)
{
	unsigned before = _mm_getcsr();
	bool was_set;

	_mm_setcsr(before | 0x8040u); /* flush to zero, and subnormals are zero */
	was_set = subnormal_begin();
	result = tiny * normal;
	assert_false(subnormal_end(was_set));
	_mm_setcsr(before);
}
