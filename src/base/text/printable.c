// SPDX-License-Identifier: Apache-2.0
/*
 * Makes untrusted UTF-8 safe to show, character by character, and measures its width. Does not handle grapheme
 * clusters.
 */
#include "base/text/printable.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/text/units.h"

/* One character, as it will be shown. */
struct shown {
	char text[12];
	int len, width;
	size_t taken; /* bytes of the original */
};

struct span {
	uint32_t first, last;
};

static bool is_in(uint32_t code, const struct span *spans, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (code >= spans[i].first && code <= spans[i].last)
			return true;
	return false;
}

#define IS_IN(code, spans) is_in(code, spans, sizeof(spans) / sizeof *(spans))

/* Controls, direction marks, invisible characters, private and unassigned planes: they would mislead a reader. */
static bool is_harmful(uint32_t code)
{
	static const struct span spans[] = {
		{ 0x00, 0x1f },	    { 0x7f, 0x9f },	{ 0xad, 0xad },	    { 0x34f, 0x34f },	   { 0x61c, 0x61c },
		{ 0x115f, 0x1160 }, { 0x17b4, 0x17b5 }, { 0x180b, 0x180f }, { 0x200b, 0x200f },	   { 0x2028, 0x202e },
		{ 0x2060, 0x206f }, { 0x3164, 0x3164 }, { 0xd800, 0xf8ff }, { 0xfe00, 0xfe0f },	   { 0xfeff, 0xfeff },
		{ 0xffa0, 0xffa0 }, { 0xfff0, 0xfffb }, { 0xfffe, 0xffff }, { 0xe0000, 0x10ffff },
	};

	return IS_IN(code, spans);
}

static int width_of(uint32_t code)
{
	static const struct span none[] = {
		{ 0x300, 0x36f },   { 0x483, 0x489 },	{ 0x591, 0x5bd }, { 0x610, 0x61a },   { 0x64b, 0x65f },
		{ 0x6d6, 0x6dc },   { 0x900, 0x902 },	{ 0x93c, 0x93c }, { 0x941, 0x948 },   { 0x94d, 0x94d },
		{ 0xe31, 0xe31 },   { 0xe34, 0xe3a },	{ 0xe47, 0xe4e }, { 0x1ab0, 0x1aff }, { 0x1dc0, 0x1dff },
		{ 0x20d0, 0x20ff }, { 0xfe20, 0xfe2f },
	};
	static const struct span two[] = {
		{ 0x1100, 0x115e },   { 0x231a, 0x231b },   { 0x2e80, 0x303e },	  { 0x3041, 0xa4cf },
		{ 0xac00, 0xd7a3 },   { 0xf900, 0xfaff },   { 0xfe30, 0xfe6f },	  { 0xff00, 0xff60 },
		{ 0xffe0, 0xffe6 },   { 0x1f300, 0x1f64f }, { 0x1f680, 0x1f6ff }, { 0x1f900, 0x1f9ff },
		{ 0x20000, 0x3fffd },
	};

	return IS_IN(code, none) ? 0 : IS_IN(code, two) ? 2 : 1;
}

/* Decodes the character at text and returns its bytes; 0: not UTF-8. */
static size_t decode(const unsigned char *text, size_t len, uint32_t *code)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t n = text[0] < 0x80   ? 1
		   : text[0] < 0xc2 ? 0
		   : text[0] < 0xe0 ? 2
		   : text[0] < 0xf0 ? 3
		   : text[0] < 0xf5 ? 4
				    : 0;

	if (!n || n > len)
		return 0;
	*code = n == 1 ? text[0] : text[0] & (0x7fu >> n);
	for (size_t i = 1; i < n; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (text[i] & 0x3f);
	}
	return *code < least[n] || *code > 0x10ffff ? 0 : n;
}

static struct shown show(const char *text, size_t len, bool is_ascii)
{
	uint32_t code = 0;
	struct shown shown = { .taken = decode((const unsigned char *)text, len, &code) };

	if (!shown.taken) {
		shown.taken = 1;
		shown.len = snprintf(shown.text, sizeof shown.text, "\\x%02x", (unsigned char)*text);
	} else if (code == '\n' || code == '\t' || code == '\r') {
		shown.len = snprintf(shown.text, sizeof shown.text, "\\%c",
				     code == '\n'   ? 'n'
				     : code == '\t' ? 't'
						    : 'r');
	} else if (code < 0x80 && is_harmful(code)) {
		shown.len = snprintf(shown.text, sizeof shown.text, "\\x%02x", code);
	} else if (is_harmful(code) || (is_ascii && code >= 0x80)) {
		shown.len = snprintf(shown.text, sizeof shown.text, code > 0xffff ? "\\U%06x" : "\\u%04x", code);
	} else {
		memcpy(shown.text, text, shown.taken);
		shown.len = (int)shown.taken;
		shown.width = width_of(code);
		return shown;
	}
	shown.width = shown.len;
	return shown;
}

static bool add(struct printable *to, size_t *used, const char *text, size_t len)
{
	if (*used + len >= sizeof to->s)
		return false;
	memcpy(to->s + *used, text, len);
	*used += len;
	to->s[*used] = 0;
	return true;
}

struct printable printable_text(const char *text, size_t len, int columns, bool is_ascii)
{
	const char *dots = is_ascii ? "..." : "\342\200\246";
	int whole = 0, dots_width = is_ascii ? 3 : 1, head, tail, width = 0;
	struct printable to = { "" };
	size_t used = 0, at;
	struct shown shown;

	for (at = 0; at < len; at += shown.taken) {
		shown = show(text + at, len - at, is_ascii);
		whole += shown.width;
	}
	if (columns < dots_width + 2)
		columns = dots_width + 2;
	head = whole <= columns ? whole : (columns - dots_width + 1) / 2;
	tail = whole <= columns ? 0 : columns - dots_width - head;
	/* the last 64 bytes are for the end of the tail, in case marks without width fill the rest */
	for (at = 0; at < len && used < sizeof to.s - 64; at += shown.taken) {
		shown = show(text + at, len - at, is_ascii);
		if (width + shown.width > head)
			break;
		width += shown.width;
		add(&to, &used, shown.text, (size_t)shown.len);
	}
	if (at == len)
		return to;
	add(&to, &used, dots, strlen(dots));
	for (; at < len; at += shown.taken) {
		shown = show(text + at, len - at, is_ascii);
		if (whole - width <= tail && !add(&to, &used, shown.text, (size_t)shown.len))
			break;
		width += shown.width;
	}
	return to;
}

void printable_add(struct printable *to, const char *fmt, ...)
{
	size_t used = strlen(to->s);
	va_list args;

	va_start(args, fmt);
	if (vsnprintf(to->s + used, sizeof to->s - used, fmt, args) >= (int)(sizeof to->s - used)) {
		/* back to the last whole character */
		used = sizeof to->s - 1;
		while (used && (to->s[used - 1] & 0xc0) == 0x80)
			used--;
		if (used && (to->s[used - 1] & 0x80))
			to->s[used - 1] = 0;
	}
	va_end(args);
}

int printable_width(const char *text)
{
	size_t len = strlen(text);
	int width = 0;

	for (size_t at = 0; at < len;) {
		uint32_t code = 0;
		size_t n = decode((const unsigned char *)text + at, len - at, &code);

		width += n ? width_of(code) : 1;
		at += n ? n : 1;
	}
	return width;
}

struct printable printable_count(uint64_t n, const char *what)
{
	struct printable text = { "" };
	bool ends_in_s = *what && what[strlen(what) - 1] == 's';

	printable_add(&text, "%s %s%s", units_count(n).s, what, n == 1 ? "" : ends_in_s ? "es" : "s");
	return text;
}
