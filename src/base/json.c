// SPDX-License-Identifier: Apache-2.0
/* JSON, indented by two spaces, one item a line. Only writes. */
#include "base/json.h"

#include <math.h>
#include <string.h>

void json_init(struct json *json, FILE *out)
{
	*json = (struct json){ .out = out };
}

void json_done(struct json *json)
{
	fputc('\n', json->out);
}

/* Length of the UTF-8 character at text, 0 when it is none. */
static size_t character_len(const unsigned char *text)
{
	static const struct {
		unsigned char mask, lead;
		uint32_t min;
	} shapes[] = { { 0x80, 0x00, 0 }, { 0xe0, 0xc0, 0x80 }, { 0xf0, 0xe0, 0x800 }, { 0xf8, 0xf0, 0x10000 } };

	for (size_t n = 0; n < 4; n++) {
		uint32_t code = text[0] & (unsigned char)~shapes[n].mask;
		size_t i;

		if ((text[0] & shapes[n].mask) != shapes[n].lead)
			continue;
		for (i = 1; i <= n && (text[i] & 0xc0) == 0x80; i++)
			code = code << 6 | (text[i] & 0x3f);
		return i > n && code >= shapes[n].min && code <= 0x10ffff && code >> 11 != 0x1b ? n + 1 : 0;
	}
	return 0;
}

static void put_escaped(FILE *out, unsigned char c)
{
	static const char letters[] = "\bb\tt\nn\ff\rr\"\"\\\\";

	for (const char *letter = letters; *letter; letter += 2) {
		if ((unsigned char)*letter == c) {
			fprintf(out, "\\%c", letter[1]);
			return;
		}
	}
	fprintf(out, "\\u%04x", c);
}

static void put_string(FILE *out, const char *text_)
{
	const unsigned char *text = (const unsigned char *)text_;

	fputc('"', out);
	while (*text) {
		size_t len = character_len(text);

		if (!len)
			fputs("\\ufffd", out);
		else if (len == 1 && (*text < 0x20 || *text == '"' || *text == '\\' || *text == 0x7f))
			put_escaped(out, *text);
		else
			fwrite(text, 1, len, out);
		text += len ? len : 1;
	}
	fputc('"', out);
}

static void begin_item(struct json *json, const char *key)
{
	if (json->has_item)
		fputc(',', json->out);
	if (json->depth)
		fprintf(json->out, "\n%*s", 2 * json->depth, "");
	if (key) {
		put_string(json->out, key);
		fputs(": ", json->out);
	}
	json->has_item = true;
}

static void open_bracket(struct json *json, const char *key, char bracket)
{
	begin_item(json, key);
	fputc(bracket, json->out);
	json->depth++;
	json->has_item = false;
}

void json_object(struct json *json, const char *key)
{
	open_bracket(json, key, '{');
}

void json_array(struct json *json, const char *key)
{
	open_bracket(json, key, '[');
}

void json_end(struct json *json, char bracket)
{
	json->depth--;
	if (json->has_item)
		fprintf(json->out, "\n%*s", 2 * json->depth, "");
	fputc(bracket, json->out);
	json->has_item = true;
}

void json_text(struct json *json, const char *key, const char *value)
{
	if (!value) {
		json_null(json, key);
		return;
	}
	begin_item(json, key);
	put_string(json->out, value);
}

void json_int(struct json *json, const char *key, int64_t value)
{
	begin_item(json, key);
	fprintf(json->out, "%lld", (long long)value);
}

void json_real(struct json *json, const char *key, double value)
{
	if (!isfinite(value)) {
		json_null(json, key);
		return;
	}
	begin_item(json, key);
	fprintf(json->out, "%.9g", value);
}

void json_bool(struct json *json, const char *key, bool value)
{
	begin_item(json, key);
	fputs(value ? "true" : "false", json->out);
}

void json_null(struct json *json, const char *key)
{
	begin_item(json, key);
	fputs("null", json->out);
}
