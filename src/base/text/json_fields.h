/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads objects of JSON into structs by tables of their fields. The bytes are a stranger's: unknown fields, and known
 * ones with a value of another type, are skipped, and leave the struct as it is. Texts go into an arena.
 */
#ifndef BASE_JSON_FIELDS_H
#define BASE_JSON_FIELDS_H

#include <stddef.h>

#include "base/arena.h"
#include "base/text/json_read.h"

struct json_fields {
	struct json_reader json;
	struct arena *arena;
	bool is_out_of_memory;
};

enum json_field_type {
	JSON_FIELD_TEXT,     /* const char * */
	JSON_FIELD_NAME,     /* the same; an empty text is none */
	JSON_FIELD_WHOLE,    /* int64_t */
	JSON_FIELD_REAL,     /* double; from 0 on */
	JSON_FIELD_POSITIVE, /* double; above 0, below 1e18 */
	JSON_FIELD_COUNT,    /* double; from 0 on, below 2^64; also as a text, which ClickHouse makes of 64 bits */
	JSON_FIELD_OBJECT,   /* its members are fields of the same struct */
	JSON_FIELD_LIST,
	JSON_FIELD_BOOL,
	JSON_FIELD_IS_THERE, /* bool; a row with the same key may follow */
};

struct json_field {
	const char *key; /* NULL: the table ends */
	enum json_field_type type;
	size_t offset;
	const struct json_field *inner; /* of an object */
	/* Of a list, for each element: reads or skips it. */
	void (*element)(struct json_fields *reader, enum json_token token, void *to);
};

/* Behind the begin of an object, up to behind its end. */
void json_fields_read(struct json_fields *reader, const struct json_field *fields, void *to);
void json_fields_skip(struct json_fields *reader, enum json_token token);

#endif
