/* SPDX-License-Identifier: Apache-2.0 */
/* Findings as JSON, the same for a recording and for measured runs. */
#ifndef SHOW_JSON_JSON_FINDINGS_H
#define SHOW_JSON_JSON_FINDINGS_H

#include "analyze/insight/insight.h"
#include "base/text/json.h"

/* An element for each finding. model: the index of the recording's model; NULL: "run" is the index of the run. */
void json_findings(struct json *json, const struct model_analysis *analysis, const uint32_t *model);

#endif
