/* SPDX-License-Identifier: Apache-2.0 */
/* Members of a run's object in the JSON of a model's runs (doc/model-json.md). */
#ifndef SHOW_JSON_JSON_MODEL_OPERATORS_H
#define SHOW_JSON_JSON_MODEL_OPERATORS_H

#include "analyze/result/model/model_analysis.h"
#include "base/text/json.h"

/* "operators", with "operators_missing"; "kernels", null if there are none, with "kernels_missing". */
void json_model_operators(struct json *json, const struct model_analysis *analysis, uint32_t r);
void json_model_kernels(struct json *json, const struct model_analysis *analysis, uint32_t r);

#endif
