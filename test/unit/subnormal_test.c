// SPDX-License-Identifier: Apache-2.0
/* The processor's flag of subnormal numbers: seen for each inference, and as it was afterwards. */
#include "capture/agent/subnormal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

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

static void a_subnormal_operand_is_seen(void **state)
{
	bool was_set = subnormal_begin();

	result = tiny * normal;
	assert_true(subnormal_end(was_set));
	assert_true(is_set()); /* as the program would find it */
}

static void normal_numbers_are_not(void **state)
{
	bool was_set = subnormal_begin();

	result = normal * normal;
	assert_false(subnormal_end(was_set));
	assert_false(is_set());
}

static void one_before_is_not_counted_and_not_forgotten(void **state)
{
	bool was_set;

	result = tiny * normal;
	was_set = subnormal_begin();
	result = normal * normal;
	assert_false(subnormal_end(was_set));
	assert_true(is_set());
}

static void one_inside_another_counts_for_both(void **state)
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

static void taken_as_zero_it_costs_nothing_and_is_not_seen(void **state)
{
	unsigned before = _mm_getcsr();
	bool was_set;

	_mm_setcsr(before | 0x8040u); /* flush to zero, and subnormals are zero */
	was_set = subnormal_begin();
	result = tiny * normal;
	assert_false(subnormal_end(was_set));
	_mm_setcsr(before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_subnormal_operand_is_seen, begin),
		cmocka_unit_test_setup(normal_numbers_are_not, begin),
		cmocka_unit_test_setup(one_before_is_not_counted_and_not_forgotten, begin),
		cmocka_unit_test_setup(one_inside_another_counts_for_both, begin),
		cmocka_unit_test_setup(taken_as_zero_it_costs_nothing_and_is_not_seen, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
