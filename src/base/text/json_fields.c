// SPDX-License-Identifier: Apache-2.0
#include "base/text/json_fields.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DIGITS = 64 };

static void take_text(struct json_fields *reader, const char **to)
{
	size_t size = reader->json.value.len + 1;
	char *text = arena_alloc(reader->arena, size);

	reader->is_out_of_memory |= !text;
	if (text) {
		json_span_text(reader->json.value, text, size);
		*to = text;
	}
}

static double real_of(const struct json_reader *json)
{
	char digits[MAX_DIGITS];

	if (json->value.len >= sizeof digits)
		return NAN;
	memcpy(digits, json->value.start, json->value.len);
	digits[json->value.len] = 0;
	return strtod(digits, NULL);
}

static void take_number(struct json_fields *reader, const struct json_field *field, void *to)
{
	double value = real_of(&reader->json);

	if (field->type == JSON_FIELD_WHOLE)
		json_span_int(reader->json.value, to);
	else if (field->type == JSON_FIELD_REAL	      ? value >= 0 && isfinite(value)
		 : field->type == JSON_FIELD_POSITIVE ? value > 0 && value < 1e18
						      : value >= 0 && value < 0x1p64)
		*(double *)to = value;
}

void json_fields_skip(struct json_fields *reader, enum json_token token)
{
	if (token == JSON_OBJECT || token == JSON_ARRAY)
		json_read_skip(&reader->json);
}

static bool is_more(enum json_token token)
{
	return token != JSON_CLOSE && token != JSON_BROKEN && token != JSON_END;
}

static void read_value(struct json_fields *reader, enum json_token token, const struct json_field *field, void *to)
{
	char *at = (char *)to + field->offset;

	if (token == JSON_TEXT &&
	    (field->type == JSON_FIELD_TEXT || (field->type == JSON_FIELD_NAME && reader->json.value.len)))
		take_text(reader, (const char **)(void *)at);
	else if (field->type == JSON_FIELD_OBJECT && token == JSON_OBJECT)
		json_fields_read(reader, field->inner, to);
	else if (field->type == JSON_FIELD_LIST && token == JSON_ARRAY)
		while (is_more(token = json_read_next(&reader->json)))
			field->element(reader, token, to);
	else if (field->type == JSON_FIELD_BOOL && (token == JSON_TRUE || token == JSON_FALSE))
		*(bool *)at = token == JSON_TRUE;
	else if ((field->type >= JSON_FIELD_WHOLE && field->type <= JSON_FIELD_COUNT && token == JSON_NUMBER) ||
		 (field->type == JSON_FIELD_COUNT && token == JSON_TEXT))
		take_number(reader, field, at);
	else
		json_fields_skip(reader, token);
}

void json_fields_read(struct json_fields *reader, const struct json_field *fields, void *to)
{
	enum json_token token;

	while (is_more(token = json_read_next(&reader->json))) {
		const struct json_field *field = fields;

		for (; field->key; field++) {
			if (!json_span_is(reader->json.key, field->key))
				continue;
			if (field->type != JSON_FIELD_IS_THERE)
				break;
			*(bool *)((char *)to + field->offset) = true;
		}
		if (field->key)
			read_value(reader, token, field, to);
		else
			json_fields_skip(reader, token);
	}
}
