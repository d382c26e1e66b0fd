/* SPDX-License-Identifier: Apache-2.0 */
/* A comparison as JSON: what `inftrace diff --json` writes, and a report of `inftrace model` with a baseline has. */
#ifndef SHOW_JSON_JSON_DIFF_H
#define SHOW_JSON_JSON_DIFF_H

#include "analyze/diff/diff.h"
#include "base/text/json.h"

/* Members of the innermost object, doc/diff-json.md. */
void json_diff(struct json *json, const struct diff *diff);

#endif
