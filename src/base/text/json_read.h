/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads JSON from untrusted bytes, one token at a time. Allocates nothing and copies nothing: a token points into the
 * text, and its escapes stay as they are. Depth is bounded. Numbers are parsed only on request.
 */
#ifndef BASE_JSON_READ_H
#define BASE_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { JSON_READ_DEPTH = 64 };

enum json_token {
	JSON_END,    /* the value is complete, and nothing follows it */
	JSON_BROKEN, /* from reader->at on the text is not JSON, or too deep; final */
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
	struct json_span key;	/* of the last token, the bytes between its quotes; inside arrays { NULL } */
	struct json_span value; /* of texts the bytes between the quotes, of numbers the digits */
	uint64_t objects;	/* bit n: level n is an object */
	int depth;
	bool has_item, is_begun, is_broken;
};

void json_read_init(struct json_reader *reader, const char *text, size_t len);
enum json_token json_read_next(struct json_reader *reader);
/* After JSON_OBJECT or JSON_ARRAY: skips to behind its end. false: broken. */
bool json_read_skip(struct json_reader *reader);

/* Whether the span is this text, byte for byte. Inline, so that the length of a constant is a constant. */
static inline bool json_span_is(struct json_span span, const char *text)
{
	return span.start && span.len == strlen(text) && !memcmp(span.start, text, span.len);
}

/*
 * Writes the text of a span, its escapes resolved, ended by 0; cut at size - 1 bytes. size > 0. The text is never
 * longer than the span. A broken escape stays as it is; a surrogate without its other half becomes U+FFFD.
 */
void json_span_text(struct json_span span, char *to, size_t size);

/* Reads the whole span as an integer; false: it is not one, or too large. */
bool json_span_int(struct json_span span, int64_t *value);

#endif
