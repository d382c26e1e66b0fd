// SPDX-License-Identifier: Apache-2.0
#include "base/text/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"

static char *text;
static size_t size;

static struct json begin(void)
{
	struct json json;

	json_init(&json, open_memstream(&text, &size));
	return json;
}

static void expect(struct json *json, const char *wanted)
{
	json_done(json);
	fclose(json->out);
	assert_string_equal(text, wanted);
	free(text);
}

TEST(items_are_separated_and_nested)
{
	struct json json = begin();

	json_object(&json, NULL);
	json_int(&json, "a", -1);
	json_array(&json, "b");
	json_bool(&json, NULL, true);
	json_object(&json, NULL);
	json_end(&json, '}');
	json_null(&json, NULL);
	json_end(&json, ']');
	json_text(&json, "c", NULL);
	json_end(&json, '}');
	expect(&json, "{\n  \"a\": -1,\n  \"b\": [\n    true,\n    {},\n    null\n  ],\n  \"c\": null\n}\n");
}

TEST(text_that_json_cannot_hold_is_escaped)
{
	struct json json = begin();

	json_text(&json, NULL, "a\"b\\c\n\x01\x7f/\xc3\xa4\xf0\x9f\x98\x80");
	expect(&json, "\"a\\\"b\\\\c\\n\\u0001\\u007f/\xc3\xa4\xf0\x9f\x98\x80\"\n");
}

TEST(bytes_that_are_not_utf8_are_replaced)
{
	static const char *const bad[] = { "\xff", "\xc3", "\xc0\x80" /* overlong: two bytes */,
					   "\xed\xa0\x80" /* surrogate */, "\xf0\x9f\x98" /* cut off: one piece */ };
	static const char *const wanted[] = { "\"\\ufffd\"\n", "\"\\ufffd\"\n", "\"\\ufffd\\ufffd\"\n",
					      "\"\\ufffd\\ufffd\\ufffd\"\n", "\"\\ufffd\"\n" };

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct json json = begin();

		json_text(&json, NULL, bad[i]);
		expect(&json, wanted[i]);
	}
}

TEST(reals_in_full_are_the_same_when_they_are_read_again)
{
	struct json json = begin();

	json_array(&json, NULL);
	json_real_in_full(&json, NULL, 27603472265272.5);
	json_real_in_full(&json, NULL, 0.1 + 0.2);
	json_real_in_full(&json, NULL, NAN);
	json_end(&json, ']');
	expect(&json, "[\n  27603472265272.5,\n  0.30000000000000004,\n  null\n]\n");
}

TEST(numbers_that_json_cannot_say_are_null)
{
	struct json json = begin();

	json_array(&json, NULL);
	json_real(&json, NULL, 0.25);
	json_real(&json, NULL, 1e300);
	json_real(&json, NULL, NAN);
	json_real(&json, NULL, INFINITY);
	json_int(&json, NULL, INT64_MIN);
	json_end(&json, ']');
	expect(&json, "[\n  0.25,\n  1e+300,\n  null,\n  null,\n  -9223372036854775808\n]\n");
}
