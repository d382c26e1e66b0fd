/* SPDX-License-Identifier: Apache-2.0 */
/* The page of metrics in the formats that Prometheus scrapes. Serves nothing. */
#ifndef FLEET_DOOR_PROMETHEUS_TEXT_H
#define FLEET_DOOR_PROMETHEUS_TEXT_H

#include <stdio.h>

#include "fleet/door/door.h"

enum prometheus_format { PROMETHEUS_TEXT, PROMETHEUS_OPEN_METRICS, PROMETHEUS_PROTOBUF, N_PROMETHEUS_FORMATS };

/* Text 0.0.4, or OpenMetrics 1.0 with exemplars. */
void prometheus_text_write(const struct door_in *in, bool is_open_metrics, FILE *out);
/* io.prometheus.client.MetricFamily, each behind its length: native and classic histograms in one family. */
void prometheus_protobuf_write(const struct door_in *in, FILE *out);

/* The format that an Accept header prefers, and its Content-Type. NULL: no header. */
enum prometheus_format prometheus_format_of(const char *accept);
const char *prometheus_content_type(enum prometheus_format format);

#endif
