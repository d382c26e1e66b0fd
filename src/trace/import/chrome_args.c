// SPDX-License-Identifier: Apache-2.0
/* Copies members of JSON objects as they stand. Resolves no escapes, and parses no value. */
#include "trace/import/chrome_in.h"

/* Line breaks and other control characters become spaces, which JSON allows between its tokens. */
static void append(struct chrome_args *args, const char *text, size_t len)
{
	if (args->is_full || len > sizeof args->text - 1 - args->len) { /* room for the brace */
		args->is_full = true;
		return;
	}
	for (size_t i = 0; i < len; i++)
		args->text[args->len++] = (unsigned char)text[i] < ' ' ? ' ' : text[i];
}

static void begin_member(struct chrome_args *args)
{
	append(args, args->len ? "," : "{", 1);
}

void chrome_args_member(struct chrome_args *args, struct json_span key, enum json_token token, struct json_span value)
{
	static const char *const words[] = { [JSON_TRUE] = "true", [JSON_FALSE] = "false", [JSON_NULL] = "null" };

	if (token >= JSON_TRUE)
		value = (struct json_span){ words[token], strlen(words[token]) };
	begin_member(args);
	append(args, "\"", 1);
	append(args, key.start, key.len);
	append(args, "\":", 2);
	append(args, "\"", token == JSON_TEXT);
	append(args, value.start, value.len);
	append(args, "\"", token == JSON_TEXT);
}

/* The span without the spaces around it. */
static struct json_span trim(struct json_span span)
{
	while (span.len && (unsigned char)*span.start <= ' ') {
		span.start++;
		span.len--;
	}
	while (span.len && (unsigned char)span.start[span.len - 1] <= ' ')
		span.len--;
	return span;
}

void chrome_args_object(struct chrome_args *args, struct json_span object)
{
	struct json_span inside;

	if (!object.start || object.len < 2)
		return;
	inside = trim((struct json_span){ object.start + 1, object.len - 2 });
	if (!inside.len)
		return;
	begin_member(args);
	append(args, inside.start, inside.len);
}

uint32_t chrome_args_take(struct chrome_args *args, struct names *names)
{
	uint32_t text = 0;

	args->n_long += args->is_full;
	if (args->len && !args->is_full) {
		args->text[args->len++] = '}';
		text = names_pass(names, args->text, args->len);
	}
	args->len = 0;
	args->is_full = false;
	return text;
}
