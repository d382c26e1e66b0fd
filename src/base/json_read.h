/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads JSON, one token at a time, from bytes that nobody vouches for. Takes no memory and keeps no copy: a token
 * points into the text, escapes in it stay as they are. Depth is bounded. Numbers are looked at only when they are
 * asked for.
 */
#ifndef BASE_JSON_READ_H
#define BASE_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { JSON_READ_DEPTH = 64 };

enum json_token {
	JSON_END,    /* the value is over, and nothing follows it */
	JSON_BROKEN, /* no JSON from reader->at on, or too deep; it stays so */
	JSON_OBJECT,
	JSON_ARRAY,
	JSON_CLOSE, /* of the innermost object or array */
	JSON_TEXT,
	JSON_NUMBER,
	JSON_TRUE,
	JSON_FALSE,
	JSON_NULL,
};

struct json_span {
	const char *start;
	size_t len;
};

struct json_reader {
	const char *at, *end;
	struct json_span key;	/* of the last token, as it stands between its quotes; inside arrays { NULL } */
	struct json_span value; /* of texts between the quotes, of numbers the digits */
	uint64_t objects;	/* bit: that level is an object */
	int depth;
	bool has_item, is_begun, is_broken;
};

void json_read_init(struct json_reader *reader, const char *text, size_t len);
enum json_token json_read_next(struct json_reader *reader);
/* After JSON_OBJECT or JSON_ARRAY: goes behind its end. false: broken. */
bool json_read_skip(struct json_reader *reader);

/* Is it this text, byte for byte? Here, so that the length of a constant is one. */
static inline bool json_span_is(struct json_span span, const char *text)
{
	return span.start && span.len == strlen(text) && !memcmp(span.start, text, span.len);
}

/* A whole number, all of the span; false: it is none, or too large. */
bool json_span_int(struct json_span span, int64_t *value);

#endif
