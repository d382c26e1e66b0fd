// SPDX-License-Identifier: Apache-2.0
/* Writes JSON, indented by two spaces, one item a line. Does not read it. */
#include "base/text/json.h"

#include <math.h>
#include <string.h>

#include "base/text/utf8.h"

void json_init(struct json *json, FILE *out)
{
	*json = (struct json){ .out = out };
}

void json_done(struct json *json)
{
	fputc('\n', json->out);
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

void json_put_text(FILE *out, const char *text)
{
	size_t left = strlen(text), broken, len;

	fputc('"', out);
	for (; left; text += len, left -= len) {
		len = utf8_char_len(text, left, &broken);
		if (!len) {
			fputs("\\ufffd", out);
			len = broken;
		} else if (len == 1 && ((unsigned char)*text < 0x20 || strchr("\"\\\x7f", *text))) {
			put_escaped(out, (unsigned char)*text);
		} else {
			fwrite(text, 1, len, out);
		}
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
		json_put_text(json->out, key);
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
	json_put_text(json->out, value);
}

void json_int(struct json *json, const char *key, int64_t value)
{
	begin_item(json, key);
	fprintf(json->out, "%lld", (long long)value);
}

void json_known(struct json *json, const char *key, int64_t value)
{
	if (value < 0)
		json_null(json, key);
	else
		json_int(json, key, value);
}

void json_count(struct json *json, const char *key, uint64_t value)
{
	json_int(json, key, value > INT64_MAX ? INT64_MAX : (int64_t)value);
}

static void put_real(struct json *json, const char *key, double value, int digits)
{
	if (!isfinite(value)) {
		json_null(json, key);
		return;
	}
	begin_item(json, key);
	fprintf(json->out, "%.*g", digits, value);
}

void json_real(struct json *json, const char *key, double value)
{
	put_real(json, key, value, 9);
}

void json_real_in_full(struct json *json, const char *key, double value)
{
	put_real(json, key, value, 17);
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
