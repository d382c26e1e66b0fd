// SPDX-License-Identifier: Apache-2.0
/*
 * Shapes in the form of ONNX Runtime's own profile: float32[64x256],int64[] is [{"float":[64,256]},{"int64":[]}]. As in
 * the runtime's file, what is no tensor or not there any more, such as weights that were packed, has no place in the
 * list.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "trace/export/export_ort_in.h"

enum { SHAPES_MAX = 4000, TIMES_MAX = 4096 };

/* A size, of up to 18 digits. Behind it; NULL: it is none. */
static const char *read_size(const char *at, const char *end)
{
	const char *start = at < end && *at == '-' ? at + 1 : at;

	for (at = start; at < end && *at >= '0' && *at <= '9'; at++)
		;
	return at == start || at - start > 18 || (*start == '0' && at - start > 1) ? NULL : at;
}

/* Whether it has no known type: "-" or "?[64x256]". */
static bool is_unknown(const char *at)
{
	return *at == '-' || *at == '?';
}

/* "*48": of so many inputs. Behind it; NULL: it is none. */
static const char *read_times(const char *at, const char *end, unsigned *times)
{
	char *after;

	*times = 1;
	if (at == end || *at != '*')
		return at;
	*times = (unsigned)strtoul(at + 1, &after, 10);
	return after == at + 1 || after > end || !*times || *times > TIMES_MAX ? NULL : after;
}

/* A tensor with type and sizes, or "-". Behind it; NULL: it is none. */
static const char *read_tensor(const char *at, const char *end)
{
	const char *type = at;

	if (at < end && *at == '-')
		return at + 1;
	if (at < end && *at == '?')
		at++;
	while (at < end && ((*at >= 'a' && *at <= 'z') || (*at >= '0' && *at <= '9') || strchr("_()", *at)))
		at++;
	if (at == type || at == end || *at++ != '[')
		return NULL;
	if (at < end && *at == ']')
		return at + 1;
	while ((at = read_size(at, end)) && at < end && *at == 'x')
		at++;
	return at && at < end && *at == ']' ? at + 1 : NULL;
}

static void put_tensor(struct text_out *out, const char *text, const char *end)
{
	size_t type = strcspn(text, "[");

	text_out_text(out, "{\"");
	if (type == 7 && !memcmp(text, "float32", 7))
		text_out_text(out, "float");
	else if (type == 7 && !memcmp(text, "float64", 7))
		text_out_text(out, "double");
	else
		text_out_put(out, text, type);
	text_out_text(out, "\":[");
	for (const char *at = text + type + 1; at < end - 1; at++)
		text_out_char(out, *at == 'x' ? ',' : *at);
	text_out_text(out, "]}");
}

/* Whether it is a list of such tensors. */
static bool is_list(const char *at, const char *end)
{
	unsigned times;

	while ((at = read_tensor(at, end)) && (at = read_times(at, end, &times)) && at < end && *at == ',')
		at++;
	return at == end;
}

void ort_shapes_put(struct text_out *out, const char *text, size_t len)
{
	const char *end = text + (len <= SHAPES_MAX && is_list(text, text + len) ? len : 0), *own, *next, *comma = "";
	unsigned times;

	text_out_char(out, '[');
	for (; text < end; text = next < end ? next + 1 : next) {
		own = read_tensor(text, end);
		next = read_times(own, end, &times);
		while (!is_unknown(text) && times--) {
			text_out_text(out, comma);
			comma = ",";
			put_tensor(out, text, own);
		}
	}
	text_out_char(out, ']');
}

static int bytes_of_type(const char *text, size_t len)
{
	static const struct {
		const char *name;
		int bytes;
	} types[] = { { "float32", 4 }, { "float64", 8 }, { "float16", 2 }, { "bfloat16", 2 }, { "int64", 8 },
		      { "uint64", 8 },	{ "int32", 4 },	  { "uint32", 4 },  { "int16", 2 },    { "uint16", 2 },
		      { "int8", 1 },	{ "uint8", 1 },	  { "bool", 1 } };

	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (strlen(types[i].name) == len && !memcmp(types[i].name, text, len))
			return types[i].bytes;
	return 0;
}

int64_t ort_shapes_bytes(const char *text)
{
	uint64_t sum = 0, one;

	while (*text) {
		size_t type = strcspn(text, "[");

		one = (uint64_t)bytes_of_type(text, type);
		text += type;
		for (; one && *text && *text != ']'; text += strcspn(text, "x]"))
			if (*++text != ']' && __builtin_mul_overflow(one, strtoull(text, NULL, 10), &one))
				return 0;
		if (!one || *text != ']' || __builtin_add_overflow(sum, one, &sum) || sum > INT64_MAX)
			return 0;
		text += text[1] == ',' ? 2 : 1;
	}
	return (int64_t)sum;
}
