// SPDX-License-Identifier: Apache-2.0
#include "base/text/json_read.h"

#include <string.h>

#include "cases.h"

static struct json_reader read_text(const char *text)
{
	struct json_reader reader;

	json_read_init(&reader, text, strlen(text));
	return reader;
}

TEST(tokens_come_in_order)
{
	struct json_reader reader =
	    read_text(" {\"a\" : [1, -2.5e3,\"b\\\"c\"], \"d\":{},\"e\":null , \"f\":true,\"g\":false} ");
	int64_t number;

	assert_int_equal(json_read_next(&reader), JSON_OBJECT);
	assert_int_equal(json_read_next(&reader), JSON_ARRAY);
	assert_true(json_span_is(reader.key, "a"));
	assert_int_equal(json_read_next(&reader), JSON_NUMBER);
	assert_true(json_span_int(reader.value, &number) && number == 1);
	assert_null(reader.key.start);
	assert_int_equal(json_read_next(&reader), JSON_NUMBER);
	assert_false(json_span_int(reader.value, &number));
	assert_int_equal(json_read_next(&reader), JSON_TEXT);
	assert_true(json_span_is(reader.value, "b\\\"c"));
	assert_int_equal(json_read_next(&reader), JSON_CLOSE);
	assert_int_equal(json_read_next(&reader), JSON_OBJECT);
	assert_true(json_span_is(reader.key, "d"));
	assert_int_equal(json_read_next(&reader), JSON_CLOSE);
	assert_int_equal(json_read_next(&reader), JSON_NULL);
	assert_int_equal(json_read_next(&reader), JSON_TRUE);
	assert_int_equal(json_read_next(&reader), JSON_FALSE);
	assert_true(json_span_is(reader.key, "g"));
	assert_int_equal(json_read_next(&reader), JSON_CLOSE);
	assert_int_equal(json_read_next(&reader), JSON_END);
}

TEST(what_is_skipped_is_over)
{
	struct json_reader reader = read_text("[[1,{\"a\":[2]}],3]");

	json_read_next(&reader);
	assert_int_equal(json_read_next(&reader), JSON_ARRAY);
	assert_true(json_read_skip(&reader));
	assert_int_equal(json_read_next(&reader), JSON_NUMBER);
	assert_true(json_span_is(reader.value, "3"));
}

static enum json_token last(const char *text)
{
	struct json_reader reader = read_text(text);
	enum json_token token;

	do
		token = json_read_next(&reader);
	while (token != JSON_END && token != JSON_BROKEN);
	return token;
}

TEST(what_is_no_json_is_broken)
{
	static const char *const texts[] = { "",     "{",   "[1",  "[1 2]", "{\"a\"}", "{\"a\":}",  "{1:2}",
					     "[1]]", "1 2", "\"a", "\"a\\", "nul",     "{\"a\":1,", "[}" };
	char deep[200];

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		assert_int_equal(last(texts[i]), JSON_BROKEN);
	memset(deep, '[', JSON_READ_DEPTH + 1);
	strcpy(deep + JSON_READ_DEPTH + 1, "]]]]]]]]");
	assert_int_equal(last(deep), JSON_BROKEN);
	assert_int_equal(last("[[[]]]"), JSON_END);
}

TEST(numbers_that_do_not_fit_are_none)
{
	static const char *const wrong[] = { "9223372036854775808", "1.0", "-", "1e3" };
	int64_t number;

	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		assert_false(json_span_int((struct json_span){ wrong[i], strlen(wrong[i]) }, &number));
	assert_true(json_span_int((struct json_span){ "9223372036854775807", 19 }, &number) && number == INT64_MAX);
	assert_true(json_span_int((struct json_span){ "-12", 3 }, &number) && number == -12);
	assert_false(json_span_int((struct json_span){ NULL, 0 }, &number));
}

static void expect_text(const char *in, const char *out)
{
	char text[64];

	json_span_text((struct json_span){ in, strlen(in) }, text, sizeof text);
	assert_string_equal(text, out);
}

TEST(texts_lose_their_escapes)
{
	char small[4];

	expect_text("plain \303\251", "plain \303\251");
	expect_text("a\\nb\\\"c\\\\d\\/e", "a\nb\"c\\d/e");
	expect_text("\\u00e9 \\u20AC \\ud83d\\ude00", "\303\251 \342\202\254 \360\237\230\200");
	expect_text("\\ud83d x", "\357\277\275 x");
	/* broken ones stay */
	expect_text("\\q \\u12", "\\q \\u12");
	expect_text("\\", "\\");
	json_span_text((struct json_span){ "\\u20ac\\u20ac", 12 }, small, sizeof small);
	assert_string_equal(small, "\342\202\254");
	json_span_text((struct json_span){ NULL, 0 }, small, sizeof small);
	assert_string_equal(small, "");
}
