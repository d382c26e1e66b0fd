// SPDX-License-Identifier: Apache-2.0
/* Regular expressions of ECMAScript, and what a bad one comes to. */
#include "base/text/pattern.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static int search(const char *text, const char *name)
{
	struct err err = { 0 };
	struct pattern *pattern = pattern_new(text, &err);
	int found;

	if (!pattern)
		fail_msg("%s: %s", text, err.msg);
	found = pattern_search(pattern, name, strlen(name));
	pattern_free(pattern);
	return found;
}

static void a_pattern_is_searched_anywhere(void **state)
{
	assert_int_equal(search("Resnet50*", "my-Resnet50-v2"), 1);
	assert_int_equal(search("^Resnet50", "my-Resnet50-v2"), 0);
	assert_int_equal(search("^(bert|gpt)-\\d+$", "gpt-2"), 1);
	assert_int_equal(search("^(bert|gpt)-\\d+$", "gpt-2\n"), 0);
	assert_int_equal(search("", "anything"), 1);
}

static void what_is_only_in_ecmascript_works(void **state)
{
	assert_int_equal(search("^m\\u{f6}del$", "m\xc3\xb6"
						 "del"),
			 1);
	assert_int_equal(search("a[]", "a"), 0);
	assert_int_equal(search("^(?:(a)|b)\\1c$", "bc"), 1); /* a group that took no part is empty */
	assert_int_equal(search("^.$", "\xc3\xb6"), 1);
}

static void bytes_that_are_no_text_match_nothing(void **state)
{
	assert_int_equal(search("^a.b$", "a\xff"
					 "b"),
			 0);
	assert_int_equal(search("b$", "a\xff"
				      "b"),
			 1);
}

static void a_bad_pattern_is_told_with_its_place(void **state)
{
	static const struct {
		const char *text, *message;
	} bad[] = {
		{ "net(", "at byte 4 of the pattern: missing closing parenthesis" },
		{ "*net", "at byte 0 of the pattern: quantifier does not follow a repeatable item" },
		{ "ab[c", "at byte 4 of the pattern: missing terminating ] for character class" },
		{ "a\\C", "at byte 3 of the pattern: using \\C is disabled by the application" },
	};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct err err = { 0 };

		assert_null(pattern_new(bad[i].text, &err));
		assert_int_equal(err.code, EINVAL);
		assert_string_equal(err.msg, bad[i].message);
	}
}

static void a_pattern_that_is_too_long_is_told(void **state)
{
	char text[1200];
	struct err err = { 0 };

	memset(text, 'a', sizeof text - 1);
	text[sizeof text - 1] = 0;
	assert_null(pattern_new(text, &err));
	assert_string_equal(err.msg, "the pattern has more than 1000 bytes");
}

static void a_search_that_explodes_is_given_up(void **state)
{
	assert_int_equal(search("^(a+)+$", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"), -ELOOP);
	assert_int_equal(search("(*LIMIT_MATCH=4000000000)^(a+)+$", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"),
			 -ELOOP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pattern_is_searched_anywhere),
		cmocka_unit_test(what_is_only_in_ecmascript_works),
		cmocka_unit_test(bytes_that_are_no_text_match_nothing),
		cmocka_unit_test(a_bad_pattern_is_told_with_its_place),
		cmocka_unit_test(a_pattern_that_is_too_long_is_told),
		cmocka_unit_test(a_search_that_explodes_is_given_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
