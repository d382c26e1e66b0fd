/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writers of the report of a model's runs. Errors stay in the stream (ferror); nothing is flushed. Numbers look the
 * same in every locale. Texts come from strangers' files: each writer makes them harmless for its format.
 */
#ifndef SHOW_REPORT_EXPORT_MODEL_H
#define SHOW_REPORT_EXPORT_MODEL_H

#include "analyze/result/model_analysis.h"
#include "base/json.h"
#include "model/onnx/onnx_static.h"
#include "show/report/export.h"

/* The page for people. */
void export_model_text(FILE *out, const struct model_analysis *analysis, const struct export_opts *opts);
/* One JSON object, doc/model-json.md. */
void export_model_json(FILE *out, const struct model_analysis *analysis);
/* RFC 4180, one header line: a row for each run; a row for each node of the model (or operator) and run. */
void export_model_csv_runs(FILE *out, const struct model_analysis *analysis);
void export_model_csv_operators(FILE *out, const struct model_analysis *analysis);
/* One page without scripts that needs no network: light and dark, printable, plots with a table beside each. */
void export_model_html(FILE *out, const struct model_analysis *analysis);

/* The same two for what a model's file says without running it; json: members of the innermost object,
 * doc/model-file-json.md. */
void export_static_text(FILE *out, const struct model_static *analysis, const struct export_opts *opts);
void export_static_json(struct json *json, const struct model_static *analysis);

#endif
