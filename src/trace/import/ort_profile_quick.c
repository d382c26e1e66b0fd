// SPDX-License-Identifier: Apache-2.0
/*
 * Reads an event of ONNX Runtime's profile as versions 1.2 to 1.32 write it: the same fields in the same order, with
 * the same spaces. That is fast, and it finds the end of a name by what comes after it, because versions before 1.31 do
 * not escape quotes. Knows no other form of the same JSON: ort_profile.c reads that.
 */
#include <string.h>

#include "trace/import/marks.h"
#include "trace/import/ort_profile_in.h"

struct cursor {
	const char *at, *end;
};

/* Inline, so that the length of a constant is a constant. */
static inline bool take(struct cursor *cursor, const char *text)
{
	size_t len = strlen(text);

	if ((size_t)(cursor->end - cursor->at) < len || memcmp(cursor->at, text, len))
		return false;
	cursor->at += len;
	return true;
}

static bool take_number(struct cursor *cursor, int64_t *number)
{
	bool is_negative = cursor->at < cursor->end && *cursor->at == '-';
	const char *at = cursor->at + is_negative, *last = at + 18;
	int64_t value = 0;

	if (last > cursor->end)
		last = cursor->end;
	for (; at < last && *at >= '0' && *at <= '9'; at++)
		value = value * 10 + (*at - '0');
	if (at == cursor->at + is_negative || at == last)
		return false;
	*number = is_negative ? -value : value;
	cursor->at = at;
	return true;
}

/* The four categories have no quotes. */
static bool take_category(struct cursor *cursor, struct json_span *span)
{
	const char *start = cursor->at;

	while (cursor->at < cursor->end && *cursor->at >= 'A' && *cursor->at <= 'z')
		cursor->at++;
	*span = (struct json_span){ start, (size_t)(cursor->at - start) };
	return span->len > 0;
}

static int32_t id_of(int64_t number)
{
	return number >= 0 && number <= INT32_MAX ? (int32_t)number : -1;
}

/* Everything before the name. */
static bool take_head(struct cursor *cursor, struct ort_profile_line *line)
{
	int64_t pid, tid;

	if (!take(cursor, "{\"cat\" : \"") || !take_category(cursor, &line->category) ||
	    !take(cursor, "\",\"pid\" :") || !take_number(cursor, &pid) || !take(cursor, ",\"tid\" :") ||
	    !take_number(cursor, &tid) || !take(cursor, ",\"dur\" :") || !take_number(cursor, &line->dur) ||
	    !take(cursor, ",\"ts\" :") || !take_number(cursor, &line->ts) ||
	    !take(cursor, ",\"ph\" : \"X\",\"name\" :\""))
		return false;
	line->pid = id_of(pid);
	line->tid = id_of(tid);
	return true;
}

/* A quote ends the name if the arguments follow; quotes and newlines before them belong to the name. */
static const char *end_of_name(struct marks *marks, const char *at)
{
	static const char behind[] = "\",\"args\" : {";
	const size_t len = sizeof behind - 1;

	for (; (at = marks_quote(marks, at)); at++)
		if ((size_t)(marks->end - at) > len && !memcmp(at, behind, len) && (at[len] == '"' || at[len] == '}'))
			return at;
	return NULL;
}

/* An event that is damaged in its name has the next one in it. */
static bool has_event(struct json_span name)
{
	static const char begin[] = "{\"cat\" : \"";
	const char *at = name.start, *end = at + name.len;

	while ((at = memchr(at, '\n', (size_t)(end - at)))) {
		at++;
		if ((size_t)(end - at) >= sizeof begin - 1 && !memcmp(at, begin, sizeof begin - 1))
			return true;
	}
	return false;
}

/* The closing quote of an argument: the next argument follows, or the end of the event. */
static const char *end_of_text(struct marks *marks, const char *at)
{
	for (; (at = marks_quote(marks, at)); at++)
		if (marks->end - at > 2 && ((at[1] == ',' && at[2] == '"') || (at[1] == '}' && at[2] == '}')))
			return at;
	return NULL;
}

/* A value at `at`. Where it ends, without the quote; NULL: unknown. Texts inside of arrays have no brackets. */
static const char *end_of_value(struct marks *marks, const char *at, struct json_span *value)
{
	bool is_text = *at == '"';
	const char *end = NULL;

	if (is_text)
		end = end_of_text(marks, ++at);
	else if (*at == '{' || *at == '[')
		end = marks_behind(marks, at);
	if (end)
		*value = (struct json_span){ at, (size_t)(end - at) };
	return end ? end + is_text : NULL;
}

/* Arguments from the quote of the first key on. Where the event ends. */
static const char *take_args(struct marks *marks, const char *at, struct ort_profile_line *line)
{
	for (;;) {
		struct json_span key, value;
		struct cursor cursor = { marks_quote(marks, at + 1), marks->end };
		bool is_text;

		if (!cursor.at)
			return NULL;
		key = (struct json_span){ at + 1, (size_t)(cursor.at - at - 1) };
		if (!take(&cursor, "\" : ") || cursor.at == cursor.end)
			return NULL;
		is_text = *cursor.at == '"';
		at = end_of_value(marks, cursor.at, &value);
		if (!at || marks->end - at < 2)
			return NULL;
		ort_profile_take_arg(line, key, value, is_text);
		if (*at == '}' && at[1] == '}')
			return at + 2;
		if (*at++ != ',' || *at != '"')
			return NULL;
	}
}

const char *ort_profile_quick(const char *at, const char *end, struct ort_profile_line *line)
{
	struct cursor cursor = { at, end };
	struct marks marks = { .end = end };

	ort_profile_line_clear(line);
	if (!take_head(&cursor, line))
		return NULL;
	marks_load(&marks, cursor.at);
	line->name.start = cursor.at;
	cursor.at = end_of_name(&marks, cursor.at);
	if (!cursor.at)
		return NULL;
	line->name.len = (size_t)(cursor.at - line->name.start);
	if (has_event(line->name))
		return NULL;
	take(&cursor, "\",\"args\" : {");
	if (take(&cursor, "}}"))
		return cursor.at;
	return cursor.at < end && *cursor.at == '"' ? take_args(&marks, cursor.at, line) : NULL;
}
