// SPDX-License-Identifier: Apache-2.0
/* Splits a JSON text into tokens, in place. Does not build a tree. */
#include "base/json_read.h"

#include <string.h>

void json_read_init(struct json_reader *reader, const char *text, size_t len)
{
	*reader = (struct json_reader){ .at = text, .end = text + len };
}

static enum json_token broken(struct json_reader *reader)
{
	reader->is_broken = true;
	return JSON_BROKEN;
}

static void skip_space(struct json_reader *reader)
{
	while (reader->at < reader->end && *reader->at <= ' ' &&
	       (*reader->at == ' ' || *reader->at == '\t' || *reader->at == '\n' || *reader->at == '\r'))
		reader->at++;
}

static bool take(struct json_reader *reader, char wanted)
{
	skip_space(reader);
	if (reader->at == reader->end || *reader->at != wanted)
		return false;
	reader->at++;
	return true;
}

/* Starts behind the opening quote. */
static bool take_text(struct json_reader *reader, struct json_span *span)
{
	const char *at = reader->at;

	while (at < reader->end && *at != '"') {
		if (*at == '\\' && ++at == reader->end)
			return false;
		at++;
	}
	if (at >= reader->end)
		return false;
	*span = (struct json_span){ reader->at, (size_t)(at - reader->at) };
	reader->at = at + 1;
	return true;
}

static bool take_word(struct json_reader *reader, const char *word)
{
	size_t len = strlen(word);

	if ((size_t)(reader->end - reader->at) < len || memcmp(reader->at, word, len))
		return false;
	reader->at += len;
	return true;
}

static bool is_of_number(char c)
{
	return (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.' || c == 'e' || c == 'E';
}

static enum json_token take_number(struct json_reader *reader)
{
	const char *start = reader->at;

	while (reader->at < reader->end && is_of_number(*reader->at))
		reader->at++;
	reader->value = (struct json_span){ start, (size_t)(reader->at - start) };
	return reader->at > start ? JSON_NUMBER : broken(reader);
}

static enum json_token open_level(struct json_reader *reader, bool is_object)
{
	if (reader->depth == JSON_READ_DEPTH)
		return broken(reader);
	reader->objects = (reader->objects & ~(UINT64_C(1) << reader->depth)) | (uint64_t)is_object << reader->depth;
	reader->depth++;
	reader->has_item = false;
	return is_object ? JSON_OBJECT : JSON_ARRAY;
}

static enum json_token take_value(struct json_reader *reader)
{
	skip_space(reader);
	if (reader->at == reader->end)
		return broken(reader);
	reader->has_item = true;
	switch (*reader->at) {
	case '{':
	case '[':
		return open_level(reader, *reader->at++ == '{');
	case '"':
		reader->at++;
		return take_text(reader, &reader->value) ? JSON_TEXT : broken(reader);
	case 't':
		return take_word(reader, "true") ? JSON_TRUE : broken(reader);
	case 'f':
		return take_word(reader, "false") ? JSON_FALSE : broken(reader);
	case 'n':
		return take_word(reader, "null") ? JSON_NULL : broken(reader);
	default:
		return take_number(reader);
	}
}

enum json_token json_read_next(struct json_reader *reader)
{
	bool is_object = reader->depth && reader->objects >> (reader->depth - 1) & 1;

	reader->key = reader->value = (struct json_span){ NULL, 0 };
	if (reader->is_broken)
		return JSON_BROKEN;
	if (!reader->depth) {
		skip_space(reader);
		if (reader->is_begun)
			return reader->at == reader->end ? JSON_END : broken(reader);
		reader->is_begun = true;
		return take_value(reader);
	}
	if (take(reader, is_object ? '}' : ']')) {
		reader->depth--;
		reader->has_item = true;
		return JSON_CLOSE;
	}
	if (reader->has_item && !take(reader, ','))
		return broken(reader);
	if (is_object && (!take(reader, '"') || !take_text(reader, &reader->key) || !take(reader, ':')))
		return broken(reader);
	return take_value(reader);
}

bool json_read_skip(struct json_reader *reader)
{
	int depth = reader->depth - 1;

	while (reader->depth > depth && !reader->is_broken)
		json_read_next(reader);
	return !reader->is_broken;
}

bool json_span_int(struct json_span span, int64_t *value)
{
	size_t i = span.len && *span.start == '-';
	uint64_t number = 0;

	if (!span.start || i == span.len)
		return false;
	for (; i < span.len; i++) {
		unsigned digit = (unsigned)(span.start[i] - '0');
		if (digit > 9 || number > ((uint64_t)INT64_MAX - digit) / 10)
			return false;
		number = number * 10 + digit;
	}
	*value = *span.start == '-' ? -(int64_t)number : (int64_t)number;
	return true;
}
