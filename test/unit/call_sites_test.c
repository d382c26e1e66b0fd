// SPDX-License-Identifier: Apache-2.0
/* Which bytes of a function are calls, and what they are made into. */
#include "capture/agent/replace/call_sites.h"

#include <string.h>

#include "cases.h"

/* mov $0xe8,%eax; push %rbp; call +0x10; jmp -0x20 */
static const uint8_t function[] = { 0xb8, 0xe8, 0, 0, 0, 0x55, 0xe8, 0x10, 0, 0, 0, 0xe9, 0xe0, 0xff, 0xff, 0xff };

TEST(calls_and_last_jumps_lead_somewhere)
{
	uint64_t target;

	assert_true(call_site_at(function + 6, 0x1006, &target));
	assert_int_equal(target, 0x1006 + 5 + 0x10);
	assert_true(call_site_at(function + 11, 0x100b, &target));
	assert_int_equal(target, 0x100b + 5 - 0x20);
	assert_false(call_site_at(function, 0x1000, &target));
}

TEST(places_are_looked_at_in_order)
{
	const size_t size = sizeof function;

	assert_int_equal(call_site_next(function, size, 0), 1);
	assert_int_equal(call_site_next(function, size, 2), 6);
	assert_int_equal(call_site_next(function, size, 7), 11);
	assert_true(call_site_next(function, size, 12) + call_site_size > size);
}

TEST(what_looks_like_a_call_inside_an_instruction_is_none)
{
	uint64_t target;

	assert_true(call_site_at(function + 1, 0x1001, &target));
	assert_false(call_site_is_instruction(function, sizeof function, 1));
	assert_true(call_site_is_instruction(function, sizeof function, 6));
	assert_true(call_site_is_instruction(function, sizeof function, 11));
}

TEST(a_call_leads_to_another_function_within_reach)
{
	uint8_t with[CALL_SITE_MOST];
	uint64_t target;

	assert_true(call_site_for(with, function + 11, 0x100b, 0x7000));
	assert_true(call_site_at(with, 0x100b, &target));
	assert_int_equal(target, 0x7000);
	assert_int_equal(with[0], 0xe9);
	assert_false(call_site_for(with, function + 6, 0x1006, 0x7f0000001000));
}
