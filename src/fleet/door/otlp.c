// SPDX-License-Identifier: Apache-2.0
/*
 * One resource, which is this watcher on this machine; whose inferences they are is in the attributes of each point, so
 * that Prometheus gets the same labels as by scraping. A message is made in memory before its length is known.
 */
#include <stdlib.h>
#include <string.h>

#include "base/pb.h"
#include "fleet/door/door_in.h"

/* Fields of the messages. */
enum { REQUEST_RESOURCE_METRICS = 1 };
enum { RESOURCE_METRICS_SCOPE_METRICS = 2 };
enum { SCOPE_METRICS_METRIC = 2 };
enum { NAME = 1, DESCRIPTION, UNIT, GAUGE = 5, SUM = 7, EXPONENTIAL = 10 };
enum { DATA_POINT = 1, TEMPORALITY, IS_MONOTONIC };
enum { POINT_START = 2, POINT_TIME, NUMBER_VALUE, NUMBER_ATTRIBUTE = 7 };
enum { HISTOGRAM_ATTRIBUTE = 1, HISTOGRAM_COUNT = 4, HISTOGRAM_SUM, HISTOGRAM_SCALE, HISTOGRAM_POSITIVE = 8 };
enum { HISTOGRAM_EXEMPLAR = 11 };
enum { BUCKETS_OFFSET = 1, BUCKETS_COUNTS };
enum { EXEMPLAR_TIME = 2, EXEMPLAR_VALUE, EXEMPLAR_SPAN, EXEMPLAR_TRACE, EXEMPLAR_ATTRIBUTE = 7 };

enum { CUMULATIVE = 2 };

struct writer {
	FILE *out; /* the data points of a metric */
	const struct metric *metric;
	uint64_t start_ns, time_ns;
	uint8_t buf[OTLP_LONGEST];
};

static uint64_t zigzag(int64_t value)
{
	return (uint64_t)value << 1 ^ (uint64_t)(value >> 63);
}

static uint8_t *put_example(uint8_t *at, const struct series_example *example)
{
	char pid[16];
	uint8_t *inside;

	at = pb_open(at, HISTOGRAM_EXEMPLAR, &inside);
	at = pb_put_fixed64(at, EXEMPLAR_TIME, example->realtime_ns);
	at = pb_put_double(at, EXEMPLAR_VALUE, (double)example->ns / 1e9);
	if (*example->trace)
		at = otlp_put_id(otlp_put_id(at, EXEMPLAR_SPAN, example->span), EXEMPLAR_TRACE, example->trace);
	snprintf(pid, sizeof pid, "%d", (int)example->pid);
	at = otlp_put_attribute(at, EXEMPLAR_ATTRIBUTE, "process.pid", pid);
	return pb_close(at, inside);
}

static uint8_t *put_buckets(uint8_t *at, const struct exponential *histogram)
{
	uint8_t *inside, *counts;

	at = pb_open(at, HISTOGRAM_POSITIVE, &inside);
	at = pb_put_uint(at, BUCKETS_OFFSET, zigzag(histogram->first));
	at = pb_open(at, BUCKETS_COUNTS, &counts);
	for (uint32_t i = 0; i < histogram->n; i++)
		at = pb_put_varint(at, histogram->bucket[i]);
	at = pb_close(at, counts);
	return pb_close(at, inside);
}

static uint8_t *put_histogram(uint8_t *at, const struct metric_point *point)
{
	const struct series_times *times = point->times;

	if (times->n)
		at = pb_put_fixed64(at, HISTOGRAM_COUNT, times->n);
	at = pb_put_double(at, HISTOGRAM_SUM, (double)times->ns / 1e9);
	at = pb_put_uint(at, HISTOGRAM_SCALE, zigzag(exponential_scale(&times->histogram)));
	at = put_buckets(at, &times->histogram);
	return point->example && point->example->ns ? put_example(at, point->example) : at;
}

static void visit(void *ctx, const struct metric_point *point)
{
	uint32_t attribute = point->times ? HISTOGRAM_ATTRIBUTE : NUMBER_ATTRIBUTE;
	struct writer *writer = ctx;
	uint8_t *at = writer->buf, *inside;

	at = pb_open(at, DATA_POINT, &inside);
	for (size_t i = 0; i < point->n_labels; i++)
		at = otlp_put_attribute(at, attribute, point->label[i].name, point->label[i].value);
	at = pb_put_fixed64(at, POINT_START, writer->start_ns);
	at = pb_put_fixed64(at, POINT_TIME, writer->time_ns);
	at = point->times ? put_histogram(at, point) : pb_put_double(at, NUMBER_VALUE, point->value);
	at = pb_close(at, inside);
	fwrite(writer->buf, 1, (size_t)(at - writer->buf), writer->out);
}

/* Behind the points. */
static void put_kind(struct writer *writer)
{
	uint8_t *at = writer->buf;

	if (writer->metric->type != METRIC_GAUGE)
		at = pb_put_uint(at, TEMPORALITY, CUMULATIVE);
	if (writer->metric->type == METRIC_COUNTER)
		at = pb_put_uint(at, IS_MONOTONIC, 1);
	fwrite(writer->buf, 1, (size_t)(at - writer->buf), writer->out);
}

static void put_metric(struct writer *writer, const struct door_in *in, FILE *out)
{
	static const uint8_t kinds[] = { SUM, GAUGE, EXPONENTIAL };
	const struct metric *metric = writer->metric;
	char *data = NULL, *whole = NULL;
	size_t size = 0, whole_size = 0;
	FILE *head = open_memstream(&whole, &whole_size);
	uint8_t *at = writer->buf;

	writer->out = open_memstream(&data, &size);
	if (!writer->out || !head)
		goto out;
	at = otlp_put_bytes(at, NAME, metric->name, strlen(metric->name));
	at = otlp_put_bytes(at, DESCRIPTION, metric->help, strlen(metric->help));
	if (*metric->unit)
		at = otlp_put_bytes(at, UNIT, metric->unit, strlen(metric->unit));
	fwrite(writer->buf, 1, (size_t)(at - writer->buf), head);
	metric->each(metric, in->fleet, in->own, visit, writer);
	put_kind(writer);
	fflush(writer->out);
	otlp_wrap(head, kinds[metric->type], data, size);
	fflush(head);
	otlp_wrap(out, SCOPE_METRICS_METRIC, whole, whole_size);
out:
	if (writer->out)
		fclose(writer->out);
	if (head)
		fclose(head);
	free(data);
	free(whole);
}

static void put_scope(struct writer *writer, const struct door_in *in, FILE *out)
{
	uint8_t *at = writer->buf;

	at = otlp_put_scope(at, in->own);
	fwrite(writer->buf, 1, (size_t)(at - writer->buf), out);
	for (size_t i = 0; i < n_metrics; i++) {
		writer->metric = &metrics[i];
		put_metric(writer, in, out);
	}
}

void otlp_write(const struct door_in *in, FILE *out)
{
	struct writer *writer = malloc(sizeof *writer);
	char *data = NULL, *scope = NULL;
	size_t size = 0, scope_size = 0;
	FILE *all = open_memstream(&data, &size), *inner = open_memstream(&scope, &scope_size);

	if (writer && all && inner) {
		writer->start_ns = fleet_interval(in->fleet)->start_realtime_ns;
		writer->time_ns = fleet_interval(in->fleet)->end_realtime_ns;
		put_scope(writer, in, inner);
		fflush(inner);
		fwrite(writer->buf, 1, (size_t)(otlp_put_watcher(writer->buf, in->own) - writer->buf), all);
		otlp_wrap(all, RESOURCE_METRICS_SCOPE_METRICS, scope, scope_size);
		fflush(all);
		otlp_wrap(out, REQUEST_RESOURCE_METRICS, data, size);
	}
	if (inner)
		fclose(inner);
	if (all)
		fclose(all);
	free(writer);
	free(scope);
	free(data);
}
