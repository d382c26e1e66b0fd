/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arguments of an event that have no key of ours, joined to one text: a JSON object in one line. An object that would
 * be longer than CHROME_ARGS_MAX is left out, and counted.
 */
#ifndef TRACE_IMPORT_CHROME_ARGS_H
#define TRACE_IMPORT_CHROME_ARGS_H

#include "base/text/json_read.h"
#include "event/names.h"

enum { CHROME_ARGS_MAX = 4000 };

/* Zeroed; of one event until it is taken. */
struct chrome_args {
	char text[CHROME_ARGS_MAX];
	size_t len;
	bool is_full;
	uint64_t n_long;
};

/* Adds one. value: of texts without the quotes, of objects and arrays with their brackets. */
void chrome_args_member(struct chrome_args *args, struct json_span key, enum json_token token, struct json_span value);
/* Adds all members of an object; a span without start, and an empty one, do nothing. */
void chrome_args_object(struct chrome_args *args, struct json_span object);
/* The text as an id that may be a passing one, and begins anew; 0: there are none, or they are too long. */
uint32_t chrome_args_take(struct chrome_args *args, struct names *names);

#endif
