// SPDX-License-Identifier: Apache-2.0
/* Regular expressions of ECMAScript, and what a bad one comes to. */
#include "base/text/pattern.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "cases.h"

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

TEST(a_pattern_is_searched_anywhere)
{
	assert_int_equal(search("Resnet50*", "my-Resnet50-v2"), 1);
	assert_int_equal(search("^Resnet50", "my-Resnet50-v2"), 0);
	assert_int_equal(search("^(bert|gpt)-\\d+$", "gpt-2"), 1);
	assert_int_equal(search("^(bert|gpt)-\\d+$", "gpt-2\n"), 0);
	assert_int_equal(search("", "anything"), 1);
}

TEST(what_is_only_in_ecmascript_works)
{
	assert_int_equal(search("^m\\u{f6}del$", "m\xc3\xb6"
						 "del"),
			 1);
	assert_int_equal(search("a[]", "a"), 0);
	assert_int_equal(search("^(?:(a)|b)\\1c$", "bc"), 1); /* a group that took no part is empty */
	assert_int_equal(search("^.$", "\xc3\xb6"), 1);
}

TEST(bytes_that_are_no_text_match_nothing)
{
	assert_int_equal(search("^a.b$", "a\xff"
					 "b"),
			 0);
	assert_int_equal(search("b$", "a\xff"
				      "b"),
			 1);
}

TEST(a_bad_pattern_is_told_with_its_place)
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

TEST(a_pattern_that_is_too_long_is_told)
{
	char text[1200];
	struct err err = { 0 };

	memset(text, 'a', sizeof text - 1);
	text[sizeof text - 1] = 0;
	assert_null(pattern_new(text, &err));
	assert_string_equal(err.msg, "the pattern has more than 1000 bytes");
}

TEST(a_search_that_explodes_is_given_up)
{
	assert_int_equal(search("^(a+)+$", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"), -ELOOP);
	assert_int_equal(search("(*LIMIT_MATCH=4000000000)^(a+)+$", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"),
			 -ELOOP);
}
