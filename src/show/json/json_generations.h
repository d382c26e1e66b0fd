/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SHOW_JSON_JSON_GENERATIONS_H
#define SHOW_JSON_JSON_GENERATIONS_H

#include "show/json/json_summary.h"

/* "generations" of a model; null: none were found. */
void json_generations(struct json_summary *to, const struct summary_model *model);

#endif
