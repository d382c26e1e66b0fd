/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes JSON to a stream. It adds commas, line breaks and escapes; the caller keeps the order of calls right. Bytes
 * that are not UTF-8 are written as U+FFFD, infinities and NaN as null. Errors stay in the stream (ferror).
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json {
	FILE *out;
	int depth;
	bool has_item; /* the innermost object or array already has one */
};

void json_init(struct json *json, FILE *out);
void json_done(struct json *json); /* ends the last line */

/* key: NULL inside arrays and for the outermost value. */
void json_object(struct json *json, const char *key);
void json_array(struct json *json, const char *key);
void json_end(struct json *json, char bracket);			       /* '}' or ']' */
void json_text(struct json *json, const char *key, const char *value); /* NULL: null */
void json_int(struct json *json, const char *key, int64_t value);
void json_known(struct json *json, const char *key, int64_t value);  /* below 0: unknown, null */
void json_count(struct json *json, const char *key, uint64_t value); /* written as at most INT64_MAX */
void json_real(struct json *json, const char *key, double value);
void json_real_in_full(struct json *json, const char *key, double value); /* the number itself when read again */
void json_bool(struct json *json, const char *key, bool value);
void json_null(struct json *json, const char *key);

/* One text in quotes, escaped; for callers that write the rest themselves. */
void json_put_text(FILE *out, const char *text);

#endif
