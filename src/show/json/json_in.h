/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the JSON of reports share. */
#ifndef SHOW_JSON_JSON_IN_H
#define SHOW_JSON_JSON_IN_H

#include "analyze/columns/columns.h"
#include "analyze/insight/insight.h"
#include "analyze/result/model/model_analysis.h"
#include "analyze/stats/stats_series.h"
#include "analyze/summary/summary.h"
#include "base/text/json.h"
#include "show/words/export.h"

/* What the parts of the JSON of a recording share (export_json.c, json_models.c). What is not known is null. */
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

/* Rows of a list of columns as an array of objects. */
/* n rows from this one on. */
void json_list(struct json_summary *to, const char *key, const struct column_list *list, uint32_t first, uint32_t n);
/* All rows. */
void json_whole_list(struct json_summary *to, const char *key, const struct column_list *list);

/* "generations" of a model; null: none were found. */
void json_generations(struct json_summary *to, const struct summary_model *model);

/* A series of latencies in JSON: the same fields in reports of recordings and of models. */
/* null where the series has no value. */
void json_series(struct json *json, const char *key, const struct stats_series *series);

/* Findings as JSON, the same for a recording and for measured runs. */
/* An element for each finding. model: the index of the recording's model; NULL: "run" is the index of the run. */
void json_findings(struct json *json, const struct model_analysis *analysis, const uint32_t *model);

/* Members of a run's object in the JSON of a model's runs (doc/model-json.md). */
/* "operators", with "operators_missing"; "kernels", null if there are none, with "kernels_missing". */
void json_model_operators(struct json *json, const struct model_analysis *analysis, uint32_t r);
void json_model_kernels(struct json *json, const struct model_analysis *analysis, uint32_t r);

#endif
