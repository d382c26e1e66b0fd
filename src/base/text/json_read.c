// SPDX-License-Identifier: Apache-2.0
/* Splits a JSON text into tokens, in place. Does not build a tree. */
#include "base/text/json_read.h"

#include <string.h>

void json_read_init(struct json_reader *reader, const char *text, size_t len)
{
	*reader = (struct json_reader){ .at = text, .end = len ? text + len : text };
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

/* The four digits at `at`; -1: they are none. */
static int32_t hex_of(const char *at, const char *end)
{
	int32_t value = 0;

	for (int i = 0; i < 4; i++, at++) {
		const char *digits = "0123456789abcdef", *found;

		found = at < end && *at ? strchr(digits, *at >= 'A' && *at <= 'F' ? *at + 32 : *at) : NULL;
		if (!found)
			return -1;
		value = value * 16 + (int32_t)(found - digits);
	}
	return value;
}

/* Bytes of the code point in UTF-8. */
static size_t put_utf8(char *to, uint32_t code)
{
	size_t n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
	static const uint8_t first[] = { 0, 0, 0xc0, 0xe0, 0xf0 };

	for (size_t i = n - 1; i > 0; i--, code >>= 6)
		to[i] = (char)(0x80 | (code & 0x3f));
	to[0] = (char)(first[n] | code);
	return n;
}

/* "\u00e9" or a pair of surrogates at *at, which moves behind it. Bytes in `to`; 0: it is broken. */
static size_t take_unicode(const char **at, const char *end, char *to)
{
	int32_t code = end - *at >= 6 ? hex_of(*at + 2, end) : -1, low;

	if (code < 0)
		return 0;
	*at += 6;
	if (code < 0xd800 || code > 0xdfff)
		return put_utf8(to, (uint32_t)code);
	low = code < 0xdc00 && end - *at >= 6 && (*at)[0] == '\\' && (*at)[1] == 'u' ? hex_of(*at + 2, end) : -1;
	if (low < 0xdc00 || low > 0xdfff)
		return put_utf8(to, 0xfffd);
	*at += 6;
	return put_utf8(to, 0x10000 + ((uint32_t)(code - 0xd800) << 10) + (uint32_t)(low - 0xdc00));
}

/* The next character at *at, which moves behind it. */
static size_t take_character(const char **at, const char *end, char *to)
{
	static const char names[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
	const char *found = **at == '\\' && end - *at >= 2 && (*at)[1] ? strchr(names, (*at)[1]) : NULL;
	size_t n = **at == '\\' && end - *at >= 2 && (*at)[1] == 'u' ? take_unicode(at, end, to) : 0;

	if (n)
		return n;
	*to = found ? meanings[found - names] : **at;
	*at += found ? 2 : 1;
	return 1;
}

void json_span_text(struct json_span span, char *to, size_t size)
{
	const char *at = span.start, *end = at ? at + span.len : NULL;
	size_t used = 0;

	while (at < end) {
		char bytes[4];
		size_t n = take_character(&at, end, bytes);

		if (used + n >= size)
			break;
		memcpy(to + used, bytes, n);
		used += n;
	}
	to[used] = 0;
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
