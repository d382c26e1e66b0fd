// SPDX-License-Identifier: Apache-2.0
#include "base/text/json_fields.h"

#include <stdint.h>

#include "cases.h"

struct thing {
	const char *text, *name;
	int64_t whole, sum;
	double real, positive;
	bool is_there;
};

static void add(struct json_fields *reader, enum json_token token, void *to)
{
	int64_t value;

	if (token == JSON_NUMBER && json_span_int(reader->json.value, &value))
		((struct thing *)to)->sum += value;
	else
		json_fields_skip(reader, token);
}

#define AT(type, name) JSON_FIELD_##type, offsetof(struct thing, name)

static const struct json_field inner[] = { { "real", AT(REAL, real) }, { "positive", AT(POSITIVE, positive) }, { 0 } };
static const struct json_field fields[] = {
	{ "text", AT(TEXT, text) },
	{ "name", AT(NAME, name) },
	{ "whole", AT(WHOLE, whole) },
	{ "list", AT(IS_THERE, is_there) },
	{ "list", JSON_FIELD_LIST, .element = add },
	{ "inner", JSON_FIELD_OBJECT, .inner = inner },
	{ 0 },
};

static struct thing read(const char *json, struct arena *arena)
{
	struct thing thing = { .text = "old", .name = "old", .whole = -1, .real = -1, .positive = -1 };
	struct json_fields reader = { .arena = arena };

	json_read_init(&reader.json, json, strlen(json));
	assert_int_equal(json_read_next(&reader.json), JSON_OBJECT);
	json_fields_read(&reader, fields, &thing);
	assert_int_equal(json_read_next(&reader.json), JSON_END);
	return thing;
}

TEST(fields_take_values_of_their_type)
{
	struct arena arena = { 0 };
	struct thing thing = read("{\"text\":\"\",\"name\":\"a\\n\",\"whole\":3,\"list\":[1,{\"x\":9},[2],4],"
				  "\"new\":{\"whole\":7},\"inner\":{\"real\":0,\"positive\":0.5}}",
				  &arena);

	assert_string_equal(thing.text, "");
	assert_string_equal(thing.name, "a\n");
	assert_int_equal(thing.whole, 3);
	assert_int_equal(thing.sum, 5);
	assert_true(thing.is_there);
	assert_true(thing.real == 0 && thing.positive == 0.5);
	arena_done(&arena);
}

TEST(other_values_leave_the_struct_as_it_is)
{
	struct arena arena = { 0 };
	struct thing thing =
	    read("{\"text\":1,\"name\":\"\",\"whole\":\"3\",\"inner\":{\"real\":-2,\"positive\":0}}", &arena);

	assert_string_equal(thing.text, "old");
	assert_string_equal(thing.name, "old");
	assert_int_equal(thing.whole, -1);
	assert_false(thing.is_there);
	assert_true(thing.real == -1 && thing.positive == -1);
	arena_done(&arena);
}
