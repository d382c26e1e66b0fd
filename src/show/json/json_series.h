/* SPDX-License-Identifier: Apache-2.0 */
/* A series of latencies in JSON: the same fields in reports of recordings and of models. */
#ifndef SHOW_JSON_JSON_SERIES_H
#define SHOW_JSON_JSON_SERIES_H

#include "analyze/stats/stats_series.h"
#include "base/text/json.h"

/* null where the series has no value. */
void json_series(struct json *json, const char *key, const struct stats_series *series);

#endif
