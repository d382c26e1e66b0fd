/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics, spans and log records as requests of OTLP (opentelemetry-proto), and what its answers say. Sends nothing. */
#ifndef FLEET_DOOR_OTLP_H
#define FLEET_DOOR_OTLP_H

#include <stdio.h>

#include "fleet/door/door.h"

/* An ExportMetricsServiceRequest: all of it cumulative, histograms as exponential ones. */
void otlp_write(const struct door_in *in, FILE *out);

/* An ExportTraceServiceRequest: the tail. false: there is nothing to send. */
bool otlp_write_spans(const struct door_in *in, FILE *out);
/* An ExportLogsServiceRequest: failures and recordings. The same. */
bool otlp_write_logs(const struct door_in *in, FILE *out);

/* Whether an Export...ServiceResponse, of whichever signal, says that a part was rejected, and why. The answer is of
 * anybody. */
bool otlp_is_partial(const void *answer, size_t size, int64_t *n_rejected, char *why, size_t why_size);
/* Seconds until a request may come again, of a Retry-After header: a number or a date. -1: it makes no sense. */
double otlp_retry_after(const char *text, int64_t now_s);

#endif
