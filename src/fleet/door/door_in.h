/* SPDX-License-Identifier: Apache-2.0 */
/* What doors are made of: addresses, secrets, and what they send, in each format. Private to this room. */
#ifndef FLEET_DOOR_DOOR_IN_H
#define FLEET_DOOR_DOOR_IN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/socket.h>

#include "base/err.h"
#include "base/pb.h"
#include "fleet/door/door.h"

/* Addresses to listen on: "9465", "127.0.0.1:9465", "[::]:9465". Asks no name server. */
struct address {
	struct sockaddr_storage at;
	socklen_t size;
	bool is_local; /* only programs of this machine reach it */
	char text[80];
};

/* 0, or -EINVAL and err. */
int address_parse(const char *text, struct address *address, struct err *err);
/* A socket that listens there, or -errno and err. */
int address_listen(const struct address *address, struct err *err);

/* Secrets, which come from files and never from the command line, where every user of the machine would see them. */

/* The content of a small file, without the white space at its end. The caller frees it. NULL and err: also an empty
 * one. */
char *secret_read(const char *path, const char *what, struct err *err);
/* Whether an Authorization header bears it: "Bearer <secret>". given: NULL for none. */
bool secret_is_borne(const char *secret, const char *given);

/* Intervals as JSON lines. Writes to no file. */

/* One line for the interval, one for each series that did something in it, and one for each row of the tail. */
void lines_write(const struct door_in *in, FILE *out);

/*
 * Rows of an interval as blocks of ClickHouse's format Native, whose columns have their names and types with them: a
 * table may lack some of them, or have more. doc/watch.md says what they are. Sends nothing.
 */

/* Of the table intervals: one a series, one a service, one of the watcher itself. */
void clickhouse_write_intervals(const struct door_in *in, FILE *out);
/* Of the table inferences: the tail. false: there are none. */
bool clickhouse_write_inferences(const struct door_in *in, FILE *out);

/* Metrics, spans and log records as requests of OTLP (opentelemetry-proto), and what its answers say. Sends nothing. */

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

/* Parts that all requests of OTLP have, for otlp_*.c: attributes, ids, resources, messages around messages. */

/* LONGEST: a point or a record, with all its attributes. */
enum { OTLP_LONGEST = 32 << 10 };

uint8_t *otlp_put_bytes(uint8_t *at, uint32_t number, const void *data, size_t len);
/* "" is left out. */
uint8_t *otlp_put_attribute(uint8_t *at, uint32_t number, const char *key, const char *text);
/* 32 hexadecimal digits, or 16. */
uint8_t *otlp_put_id(uint8_t *at, uint32_t number, const char *digits);
/* Field 1 of a resource: this watcher, or the service whose inferences they are. */
uint8_t *otlp_put_watcher(uint8_t *at, const struct metrics_own *own);
/* Field 1 of a scope. */
uint8_t *otlp_put_scope(uint8_t *at, const struct metrics_own *own);
/* What is known of an inference of the tail, as attributes. */
uint8_t *otlp_put_row(uint8_t *at, uint32_t number, const struct door_in *in, const struct tail_row *row);
/* A message that is complete, as a field of another one. */
void otlp_wrap(FILE *out, uint32_t number, const void *data, size_t size);
/*
 * A record of a resource of its own: wraps it in scope and resource, whose numbers are the same in all requests. room:
 * OTLP_LONGEST bytes for what is around it.
 */
void otlp_put_record(FILE *out, const struct metrics_own *own, const struct series_labels *labels,
		     const uint8_t *record, size_t size);

/* The page of metrics in the formats that Prometheus scrapes. Serves nothing. */
enum prometheus_format { PROMETHEUS_TEXT, PROMETHEUS_OPEN_METRICS, PROMETHEUS_PROTOBUF, N_PROMETHEUS_FORMATS };

/* Text 0.0.4, or OpenMetrics 1.0 with exemplars. */
void prometheus_text_write(const struct door_in *in, bool is_open_metrics, FILE *out);
/* io.prometheus.client.MetricFamily, each behind its length: native and classic histograms in one family. */
void prometheus_protobuf_write(const struct door_in *in, FILE *out);

/* The format that an Accept header prefers, and its Content-Type. NULL: no header. */
enum prometheus_format prometheus_format_of(const char *accept);
const char *prometheus_content_type(enum prometheus_format format);

#endif
