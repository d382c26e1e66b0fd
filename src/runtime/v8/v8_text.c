// SPDX-License-Identifier: Apache-2.0
/* Strings: sequential ones, and those made of others. Characters are Latin-1 or UTF-16. */
#include <string.h>

#include "runtime/v8/v8.h"

enum { MOST_STEPS = 32, UNCACHED = 0x10, CHUNK = 32768, MOST_PARTS = 64, MOST_RUNS = 4096 };
enum { MOST_SOURCE = 64 << 20, MOST_LINES = 1 << 22 };

/* Characters that lie in a row. */
struct run {
	uint64_t at;
	uint32_t n;
	bool is_one_byte;
};

struct cursor {
	uint64_t string;
	uint32_t skip, n; /* characters of it */
};

bool v8_string_length(const struct v8 *v8, uint64_t string, uint32_t *length)
{
	int type = v8_type(v8, string);

	return type >= 0 && type < v8->at[V8_FIRST_NONSTRING] &&
	       v8->memory.read(v8->memory.of, string - 1 + (uint64_t)v8->at[V8_STRING_LENGTH], length, sizeof *length);
}

static bool take_run(const struct v8 *v8, const struct cursor *at, int type, struct run *run)
{
	bool is_sequential = (type & v8->at[V8_KIND_MASK]) == v8->at[V8_KIND_SEQUENTIAL];

	run->is_one_byte = (type & v8->at[V8_ENCODING_MASK]) == v8->at[V8_ENCODING_ONE_BYTE];
	run->n = at->n;
	if (is_sequential)
		run->at = at->string - 1 + (uint64_t)v8->at[run->is_one_byte ? V8_STRING_ONE_BYTE : V8_STRING_TWO_BYTE];
	else if (type & UNCACHED || !v8_part(v8, at->string, v8->at[V8_STRING_RESOURCE] + 8, &run->at))
		return false;
	run->at += (uint64_t)at->skip * (run->is_one_byte ? 1 : 2);
	return true;
}

/* The first run of what is left, which becomes what lies behind it. False: it cannot be read. */
static bool next_run(const struct v8 *v8, struct cursor *rest, size_t *n_rest, struct run *run)
{
	struct cursor at = rest[--*n_rest];

	for (int i = 0; i < MOST_STEPS; i++) {
		int type = v8_type(v8, at.string), kind = type & v8->at[V8_KIND_MASK];
		uint32_t length, first;
		uint64_t part, other;
		int32_t offset;

		if (!v8_string_length(v8, at.string, &length) || at.skip > length || length - at.skip < at.n)
			return false;
		if (kind == v8->at[V8_KIND_THIN]) {
			if (!v8_part(v8, at.string, v8->at[V8_STRING_ACTUAL], &part))
				return false;
		} else if (kind == v8->at[V8_KIND_SLICED]) {
			if (!v8_part(v8, at.string, v8->at[V8_STRING_PARENT], &part) ||
			    !v8_part(v8, at.string, v8->at[V8_STRING_OFFSET], &other) || !v8_integer(other, &offset) ||
			    offset < 0)
				return false;
			at.skip += (uint32_t)offset;
		} else if (kind == v8->at[V8_KIND_CONS]) {
			if (!v8_part(v8, at.string, v8->at[V8_STRING_FIRST], &part) ||
			    !v8_part(v8, at.string, v8->at[V8_STRING_SECOND], &other) ||
			    !v8_string_length(v8, part, &first))
				return false;
			if (at.skip >= first) {
				at.skip -= first;
				part = other;
			} else if (at.n > first - at.skip) {
				if (*n_rest == MOST_PARTS)
					return false;
				rest[(*n_rest)++] = (struct cursor){ other, 0, at.n - (first - at.skip) };
				at.n = first - at.skip;
			}
		} else {
			return (kind == v8->at[V8_KIND_SEQUENTIAL] || kind == v8->at[V8_KIND_EXTERNAL]) &&
			       take_run(v8, &at, type, run);
		}
		at.string = part;
	}
	return false;
}

/* UTF-8 of a character; bytes. */
static size_t put_character(uint32_t character, char *to)
{
	static const uint8_t marks[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	size_t len = character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;

	if (len == 1) {
		*to = (char)character;
		return 1;
	}
	for (size_t i = len; i-- > 1; character >>= 6)
		to[i] = (char)(0x80 | (character & 0x3f));
	to[0] = (char)(marks[len] | character);
	return len;
}

struct text {
	char *to;
	size_t len, size;
	uint32_t half; /* the first half of a character of two */
	bool is_full;
};

static void put(struct text *text, uint32_t character)
{
	char bytes[4];
	size_t len = put_character(character ? character : 0xfffd, bytes);

	if (text->len + len >= text->size)
		text->is_full = true;
	if (text->is_full)
		return;
	memcpy(text->to + text->len, bytes, len);
	text->len += len;
}

static void put_unit(struct text *text, uint32_t unit)
{
	bool is_second = unit >= 0xdc00 && unit < 0xe000;

	if (text->half && is_second)
		put(text, 0x10000 + ((text->half - 0xd800) << 10) + (unit - 0xdc00));
	else if (text->half)
		put(text, 0xfffd);
	if (text->half && is_second) {
		text->half = 0;
		return;
	}
	text->half = unit >= 0xd800 && unit < 0xdc00 ? unit : 0;
	if (!text->half)
		put(text, is_second ? 0xfffd : unit);
}

/* Characters that follow each other: one of both is NULL. */
typedef void units_fn(void *of, const uint8_t *one, const uint16_t *two, uint32_t n);

static bool read_run(const struct v8 *v8, const struct run *run, units_fn *units, void *of)
{
	union {
		uint8_t one[CHUNK];
		uint16_t two[CHUNK / 2];
	} chunk;
	size_t width = run->is_one_byte ? 1 : 2;

	for (uint32_t done = 0; done < run->n;) {
		uint32_t n = run->n - done < CHUNK / width ? run->n - done : (uint32_t)(CHUNK / width);

		if (!v8->memory.read(v8->memory.of, run->at + done * width, &chunk, n * width))
			return false;
		units(of, run->is_one_byte ? chunk.one : NULL, run->is_one_byte ? NULL : chunk.two, n);
		done += n;
	}
	return true;
}

static bool read_string(const struct v8 *v8, uint64_t string, uint32_t length, units_fn *units, void *of)
{
	struct cursor rest[MOST_PARTS] = { { string, 0, length } };
	struct run run;
	size_t n = 1;

	/* what changes meanwhile may contain itself */
	for (int i = 0; n; i++)
		if (i == MOST_RUNS || !next_run(v8, rest, &n, &run) || !read_run(v8, &run, units, of))
			return false;
	return true;
}

static void put_to_text(void *of, const uint8_t *one, const uint16_t *two, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		put_unit(of, one ? one[i] : two[i]);
}

int v8_text(const struct v8 *v8, uint64_t string, char *to, size_t size)
{
	struct text text = { .to = to, .size = size };
	uint32_t length;

	if (!v8_string_length(v8, string, &length))
		return -1;
	if (length > size)
		length = (uint32_t)size;
	if (!read_string(v8, string, length, put_to_text, &text))
		return -1;
	if (text.half)
		put(&text, 0xfffd);
	to[text.len] = 0;
	return (int)text.len;
}

struct lines {
	struct array *ends;
	uint32_t at;
	bool was_return, is_full;
};

static void end_line(struct lines *lines, uint32_t at)
{
	uint32_t *end = lines->ends->n < MOST_LINES ? array_add(lines->ends, sizeof *end) : NULL;

	lines->is_full |= !end;
	if (end)
		*end = at;
}

/* As V8 counts: "\r\n" is one end. at: the character's position. */
static void end_line_by(struct lines *lines, uint32_t unit, uint32_t at)
{
	if (lines->was_return && unit != '\n')
		end_line(lines, at - 1);
	lines->was_return = unit == '\r';
	if (unit == '\n' || unit == 0x2028 || unit == 0x2029)
		end_line(lines, at);
}

/* A source has up to millions of characters: those that end no line are passed over by the library. */
static void count_one_byte(struct lines *lines, const uint8_t *one, uint32_t n)
{
	const uint8_t *at = one, *end = one + n, *feed = one, *back = one;

	for (; at < end; at++) {
		if (!lines->was_return) {
			if (feed <= at && !(feed = memchr(at, '\n', (size_t)(end - at))))
				feed = end;
			if (back <= at && !(back = memchr(at, '\r', (size_t)(end - at))))
				back = end;
			at = feed < back ? feed : back;
		}
		if (at < end)
			end_line_by(lines, *at, lines->at + (uint32_t)(at - one));
	}
}

static void count_units(void *of, const uint8_t *one, const uint16_t *two, uint32_t n)
{
	struct lines *lines = of;

	if (one)
		count_one_byte(lines, one, n);
	for (uint32_t i = 0; two && i < n; i++)
		end_line_by(lines, two[i], lines->at + i);
	lines->at += n;
}

bool v8_line_ends(const struct v8 *v8, uint64_t source, struct array *ends)
{
	struct lines lines = { .ends = ends };
	uint32_t length;

	ends->n = 0;
	return v8_string_length(v8, source, &length) && length <= MOST_SOURCE &&
	       read_string(v8, source, length, count_units, &lines) && !lines.is_full;
}
