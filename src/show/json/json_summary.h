/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the JSON of a recording share (export_json.c, json_models.c). What is not known is null. */
#ifndef SHOW_JSON_JSON_SUMMARY_H
#define SHOW_JSON_JSON_SUMMARY_H

#include "analyze/summary/summary.h"
#include "base/text/json.h"
#include "show/words/export.h"

/* All is borrowed but for json. */
struct json_summary {
	struct json json;
	const struct summary *summary;
	const struct names *names;
	const struct report *report;
};

/* 0: no name. */
void json_summary_name(struct json_summary *to, const char *key, uint32_t name);
/* A time, from the recording's first; 0 and STORE_OPEN are not known. */
void json_summary_time(struct json_summary *to, const char *key, uint64_t time_ns);
/* As "pid". */
void json_summary_process(struct json_summary *to, uint32_t process);
void json_summary_spread(struct json_summary *to, const char *key, const struct summary_spread *spread);

/* The member "memory" (json_memory.c). */
void json_memory(struct json_summary *to);
/* The member "models" (json_models.c). */
void json_models(struct json_summary *to);

#endif
