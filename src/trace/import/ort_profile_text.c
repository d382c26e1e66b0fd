// SPDX-License-Identifier: Apache-2.0
/*
 * Texts of ONNX Runtime's profile as ids: names, whether the runtime has escaped them or not, and shapes in the form of
 * recordings. The same texts come in every inference, so the last use of each is remembered with its id.
 *
 * Versions before 1.31 escape nothing, later ones write JSON, and the file does not name its version. A quote that is
 * not escaped, a control character, or an escape that JSON lacks shows the first kind; an escaped quote the second.
 * Other backslashes ("a\n") are escapes only in a file with mem_* arguments, which came in 1.28, and without a sign of
 * the first kind.
 */
#include <string.h>

#include "trace/import/ort_profile_in.h"

enum { SHAPES_MAX = 1000, NAME_MAX_BYTES = 4096 };

enum { USE_TEXT, USE_NAME, USE_SHAPES };

/* Of the ends and the length: names of a model differ at the end. */
static uint32_t slot_of(struct json_span span, uint32_t use)
{
	uint64_t first = 0, last = 0;

	if (span.len >= 8) {
		memcpy(&first, span.start, 8);
		memcpy(&last, span.start + span.len - 8, 8);
	} else {
		memcpy(&first, span.start, span.len);
	}
	first = (first ^ last * 0x9e3779b97f4a7c15u ^ (span.len << 8) ^ use) * 0xd6e8feb86659fd93u;
	if (span.len >= 24) { /* shapes differ in the middle */
		memcpy(&last, span.start + span.len / 2, 8);
		first = (first ^ last) * 0x9e3779b97f4a7c15u;
	}
	return (uint32_t)(first >> 52) & (ORT_PROFILE_TEXTS - 1);
}

static bool is_of(const struct ort_profile_text *slot, struct json_span span, uint32_t use)
{
	return slot->id && slot->len == span.len && slot->use == use && !memcmp(slot->at, span.start, span.len);
}

/* Finds the text, in one of two places. Else a slot is prepared for it, with id 0. */
static struct ort_profile_text *look_up(struct ort_profile_texts *texts, struct json_span span, uint32_t use)
{
	uint32_t at = slot_of(span, use);
	struct ort_profile_text *slot = &texts->slot[at], *other = &texts->slot[at ^ 1];

	if (!is_of(slot, span, use)) {
		if (is_of(other, span, use)) {
			slot = other;
		} else {
			*other = *slot;
			*slot = (struct ort_profile_text){ span.start, (uint32_t)span.len, use, 0 };
		}
	}
	slot->at = span.start; /* whose page is still in memory */
	return slot;
}

uint32_t ort_profile_text(struct ort_profile_texts *texts, struct names *names, struct json_span span)
{
	struct ort_profile_text *slot;

	if (!span.start || !span.len || span.len > UINT32_MAX)
		return 0;
	slot = look_up(texts, span, USE_TEXT);
	if (!slot->id)
		slot->id = names_intern(names, span.start, span.len);
	return slot->id;
}

/* Notes what the name shows about its file. false: it is not escaped. */
static bool may_be_escaped(struct ort_profile_texts *texts, struct json_span span, bool *is_sure)
{
	const char *at = span.start, *end = at + span.len;
	bool is_valid = true, has_quote = false;

	for (; at < end && is_valid; at++) {
		if (*at != '\\') {
			is_valid = *at != '"' && (unsigned char)*at >= ' ';
			continue;
		}
		at++;
		is_valid = at < end && *at && strchr("\"\\/bfnrtu", *at);
		has_quote |= at < end && *at == '"';
	}
	texts->is_raw |= !is_valid;
	texts->is_escaped |= is_valid && has_quote;
	*is_sure = has_quote;
	return is_valid;
}

static uint32_t intern_name(struct ort_profile_texts *texts, struct names *names, struct json_span span, bool is_json)
{
	char text[NAME_MAX_BYTES];
	bool is_sure = true;

	if (!is_json && !may_be_escaped(texts, span, &is_sure))
		return names_intern(names, span.start, span.len);
	if (!memchr(span.start, '\\', span.len) || span.len >= sizeof text)
		return names_intern(names, span.start, span.len);
	if (!is_json && !is_sure && !texts->is_escaped && (texts->is_raw || !texts->has_memory))
		return names_intern(names, span.start, span.len);
	json_span_text(span, text, sizeof text);
	return names_of(names, text);
}

uint32_t ort_profile_name(struct ort_profile_texts *texts, struct names *names, struct json_span span, bool is_json)
{
	struct ort_profile_text *slot;

	if (!span.start || !span.len || span.len > UINT32_MAX)
		return 0;
	slot = look_up(texts, span, USE_NAME);
	if (!slot->id)
		slot->id = intern_name(texts, names, span, is_json);
	return slot->id;
}

/* Shapes: [{"float":[64,256]},{"int64":[]}] becomes float32[64x256],int64[], the form of recordings. */

struct text {
	char data[SHAPES_MAX];
	size_t len;
	bool is_full;
};

static void append(struct text *to, const char *text, size_t len)
{
	if (to->is_full || len > SHAPES_MAX - to->len) {
		to->is_full = true;
		return;
	}
	memcpy(to->data + to->len, text, len);
	to->len += len;
}

static void append_type(struct text *to, struct json_span type)
{
	if (to->len)
		append(to, ",", 1);
	if (json_span_is(type, "float"))
		append(to, "float32", 7);
	else if (json_span_is(type, "double"))
		append(to, "float64", 7);
	else
		append(to, type.start, type.len);
	append(to, "[", 1);
}

/* Starts after the opening bracket of the array. false: broken. */
static bool read_dims(struct json_reader *reader, struct text *to)
{
	enum json_token token;
	bool is_first = true;

	for (; (token = json_read_next(reader)) != JSON_CLOSE; is_first = false) {
		if (token == JSON_BROKEN)
			return false;
		if (!is_first)
			append(to, "x", 1);
		if (token == JSON_NUMBER)
			append(to, reader->value.start, reader->value.len);
		else if ((token == JSON_OBJECT || token == JSON_ARRAY) && !json_read_skip(reader))
			return false;
	}
	append(to, "]", 1);
	return true;
}

static bool read_tensor(struct json_reader *reader, struct text *to)
{
	enum json_token token;

	while ((token = json_read_next(reader)) != JSON_CLOSE) {
		if (token == JSON_BROKEN)
			return false;
		if (token == JSON_ARRAY) {
			append_type(to, reader->key);
			if (!read_dims(reader, to))
				return false;
		} else if (token == JSON_OBJECT && !json_read_skip(reader)) {
			return false;
		}
	}
	return true;
}

/* A list that is too long is left out: half of it would be wrong. 1.11 writes a comma before its end. */
static void read_shapes(struct json_span span, struct text *to)
{
	struct json_reader reader;
	enum json_token token;

	json_read_init(&reader, span.start, span.len);
	if (json_read_next(&reader) != JSON_ARRAY)
		return;
	while ((token = json_read_next(&reader)) != JSON_CLOSE && token != JSON_BROKEN)
		if (token == JSON_OBJECT ? !read_tensor(&reader, to) : token == JSON_ARRAY && !json_read_skip(&reader))
			break;
}

static uint32_t shapes_of(struct ort_profile_texts *texts, struct names *names, struct json_span span)
{
	struct ort_profile_text *slot;
	struct text text;

	if (!span.start || span.len > UINT32_MAX)
		return 0;
	slot = look_up(texts, span, USE_SHAPES);
	if (slot->id)
		return slot->id;
	text.len = text.is_full = 0;
	read_shapes(span, &text);
	if (!text.is_full)
		slot->id = names_intern(names, text.data, text.len);
	return slot->id;
}

static uint32_t join(struct names *names, uint32_t inputs, uint32_t outputs)
{
	char both[2 * SHAPES_MAX + 2];
	size_t n = names_len(names, inputs);

	memcpy(both, names_text(names, inputs), n);
	memcpy(both + n, "->", 2);
	memcpy(both + n + 2, names_text(names, outputs), names_len(names, outputs));
	return names_intern(names, both, n + 2 + names_len(names, outputs));
}

uint32_t ort_profile_shapes(struct ort_profile_texts *texts, struct names *names, const struct ort_profile_line *line)
{
	uint32_t inputs = shapes_of(texts, names, line->inputs), outputs = shapes_of(texts, names, line->outputs);
	uint64_t key = (uint64_t)inputs << 32 | outputs;
	uint32_t id;

	if (!outputs)
		return inputs;
	id = perfetto_map_get(&texts->joined, key);
	if (!id) {
		id = join(names, inputs, outputs);
		if (id)
			perfetto_map_put(&texts->joined, key, id);
	}
	return id;
}
