// SPDX-License-Identifier: Apache-2.0
#include "event/event_args.h"

#include "cases.h"

static const struct arg args[] = {
	{ .key = KEY_COUNT, .type = ARG_REAL, .real = 0.5 },
	{ .key = KEY_COUNT, .type = ARG_INT, .integer = 7 },
	{ .key = KEY_COUNT, .type = ARG_INT, .integer = 8 },
	{ .key = KEY_MODEL, .type = ARG_NAME, .name = 9 },
};
static const struct event event = { .args = args, .n_args = sizeof args / sizeof *args };

TEST(of_several_arguments_the_first_of_the_type_counts)
{
	assert_int_equal(event_int(&event, KEY_COUNT, -1), 7);
	assert_ptr_equal(event_arg(&event, KEY_COUNT, ARG_REAL), args);
	assert_int_equal(event_text(&event, KEY_MODEL), 9);
}

TEST(what_is_missing_or_of_another_type_is_the_fallback)
{
	assert_int_equal(event_int(&event, KEY_BYTES, -1), -1);
	assert_int_equal(event_int(&event, KEY_MODEL, -1), -1);
	assert_int_equal(event_text(&event, KEY_COUNT), 0);
	assert_null(event_arg(&(struct event){ 0 }, KEY_COUNT, ARG_INT));
}
