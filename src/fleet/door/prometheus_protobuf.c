// SPDX-License-Identifier: Apache-2.0
/*
 * Messages of io.prometheus.client. Each metric is made in a buffer that has room for the longest one, and added to its
 * family. Prometheus's bucket i + 1 is our bucket i. Spans name the runs of buckets that are not empty; counts are
 * differences to the one before.
 */
#include <stdlib.h>
#include <string.h>

#include "base/pb.h"
#include "fleet/door/door_in.h"

/* Fields of the messages. */
enum { FAMILY_NAME = 1, FAMILY_HELP, FAMILY_TYPE, FAMILY_METRIC, FAMILY_UNIT };
enum { METRIC_LABEL = 1, METRIC_OF_GAUGE = 2, METRIC_OF_COUNTER = 3, METRIC_OF_HISTOGRAM = 7 };
enum { PAIR_NAME = 1, PAIR_VALUE };
enum { VALUE = 1 };
enum {
	HISTOGRAM_COUNT = 1,
	HISTOGRAM_SUM,
	HISTOGRAM_BUCKET,
	HISTOGRAM_SCHEMA = 5,
	HISTOGRAM_ZERO_THRESHOLD,
	HISTOGRAM_ZERO_COUNT,
	HISTOGRAM_SPAN = 12,
	HISTOGRAM_DELTA = 13,
	HISTOGRAM_CREATED = 15,
	HISTOGRAM_EXEMPLAR = 16
};
enum { BUCKET_COUNT = 1, BUCKET_BOUND };
enum { SPAN_OFFSET = 1, SPAN_LENGTH };
enum { EXEMPLAR_LABEL = 1, EXEMPLAR_VALUE, EXEMPLAR_TIME };
enum { TIME_SECONDS = 1, TIME_NANOS };

/* Labels are at most METRIC_LABELS times 200 bytes; buckets at most EXPONENTIAL_BUCKETS times 32. */
enum { LONGEST = 32 << 10 };

struct writer {
	FILE *family;
	const struct metric *metric;
	uint64_t start_ns;
	uint8_t buf[LONGEST];
};

static uint64_t zigzag(int64_t value)
{
	return (uint64_t)value << 1 ^ (uint64_t)(value >> 63);
}

static uint8_t *put_text(uint8_t *at, uint32_t number, const char *text)
{
	size_t len = strlen(text);

	at = pb_put_varint(pb_put_varint(at, PB_TAG(number, PB_BYTES)), len);
	memcpy(at, text, len);
	return at + len;
}

static uint8_t *put_pair(uint8_t *at, uint32_t number, const char *name, const char *value)
{
	uint8_t *inside;

	at = pb_open(at, number, &inside);
	at = put_text(put_text(at, PAIR_NAME, name), PAIR_VALUE, value);
	return pb_close(at, inside);
}

static uint8_t *put_time(uint8_t *at, uint32_t number, uint64_t ns)
{
	uint8_t *inside;

	at = pb_open(at, number, &inside);
	at = pb_put_uint(at, TIME_SECONDS, ns / 1000000000);
	at = pb_put_uint(at, TIME_NANOS, ns % 1000000000);
	return pb_close(at, inside);
}

static uint8_t *put_example(uint8_t *at, const struct series_example *example)
{
	char number[24], pid[16];
	uint8_t *inside;

	at = pb_open(at, HISTOGRAM_EXEMPLAR, &inside);
	snprintf(pid, sizeof pid, "%d", (int)example->pid);
	snprintf(number, sizeof number, "%llu", (unsigned long long)example->number);
	at = put_pair(at, EXEMPLAR_LABEL, *example->trace ? "trace_id" : "pid", *example->trace ? example->trace : pid);
	at = put_pair(at, EXEMPLAR_LABEL, *example->trace ? "span_id" : "inference",
		      *example->trace ? example->span : number);
	at = pb_put_double(at, EXEMPLAR_VALUE, (double)example->ns / 1e9);
	at = put_time(at, EXEMPLAR_TIME, example->realtime_ns);
	return pb_close(at, inside);
}

static uint8_t *put_classic(uint8_t *at, const struct series_times *times)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < SERIES_BOUNDS; i++) {
		uint8_t *inside;

		n += times->below[i];
		at = pb_open(at, HISTOGRAM_BUCKET, &inside);
		at = pb_put_uint(at, BUCKET_COUNT, n);
		at = pb_put_double(at, BUCKET_BOUND, series_bound(i));
		at = pb_close(at, inside);
	}
	return at;
}

/* A run of buckets that are not empty, from `first` on. */
static uint8_t *put_span(uint8_t *at, int32_t offset, uint32_t n)
{
	uint8_t *inside;

	at = pb_open(at, HISTOGRAM_SPAN, &inside);
	at = pb_put_uint(at, SPAN_OFFSET, zigzag(offset));
	at = pb_put_uint(at, SPAN_LENGTH, n);
	return pb_close(at, inside);
}

static uint8_t *put_spans(uint8_t *at, const struct exponential *histogram)
{
	int32_t behind = 0; /* the bucket behind the last span */
	uint32_t i = 0;

	while (i < histogram->n) {
		uint32_t begin;
		int32_t first;

		while (i < histogram->n && !histogram->bucket[i])
			i++;
		begin = i;
		while (i < histogram->n && histogram->bucket[i])
			i++;
		if (i == begin)
			break;
		first = histogram->first + (int32_t)begin + 1;
		at = put_span(at, first - behind, i - begin);
		behind = first + (int32_t)(i - begin);
	}
	return at;
}

static uint8_t *put_deltas(uint8_t *at, const struct exponential *histogram)
{
	int64_t before = 0;
	uint8_t *inside;

	at = pb_open(at, HISTOGRAM_DELTA, &inside);
	for (uint32_t i = 0; i < histogram->n; i++) {
		if (!histogram->bucket[i])
			continue;
		at = pb_put_varint(at, zigzag((int64_t)histogram->bucket[i] - before));
		before = (int64_t)histogram->bucket[i];
	}
	return pb_close(at, inside);
}

static uint8_t *put_histogram(uint8_t *at, const struct metric_point *point, uint64_t start_ns)
{
	const struct exponential *histogram = &point->times->histogram;
	uint8_t *inside;

	at = pb_open(at, METRIC_OF_HISTOGRAM, &inside);
	at = pb_put_uint(at, HISTOGRAM_COUNT, point->times->n);
	at = pb_put_double(at, HISTOGRAM_SUM, (double)point->times->ns / 1e9);
	at = put_classic(at, point->times);
	at = pb_put_uint(at, HISTOGRAM_SCHEMA, zigzag(exponential_scale(histogram)));
	at = pb_put_double(at, HISTOGRAM_ZERO_THRESHOLD, 0x1p-128);
	at = pb_put_uint(at, HISTOGRAM_ZERO_COUNT, 0);
	/* without a span it would be taken for a classic one */
	at = histogram->n ? put_spans(at, histogram) : put_span(at, 0, 0);
	if (histogram->n)
		at = put_deltas(at, histogram);
	at = put_time(at, HISTOGRAM_CREATED, start_ns);
	if (point->example && point->example->ns)
		at = put_example(at, point->example);
	return pb_close(at, inside);
}

static uint8_t *put_value(uint8_t *at, const struct metric *metric, double value)
{
	uint8_t *inside;

	at = pb_open(at, metric->type == METRIC_COUNTER ? METRIC_OF_COUNTER : METRIC_OF_GAUGE, &inside);
	at = pb_put_double(at, VALUE, value);
	return pb_close(at, inside);
}

static void visit(void *ctx, const struct metric_point *point)
{
	struct writer *writer = ctx;
	uint8_t *at = writer->buf, *inside;
	char name[METRIC_NAME];

	at = pb_open(at, FAMILY_METRIC, &inside);
	for (size_t i = 0; i < point->n_labels; i++) {
		metric_prometheus_label(&point->label[i], name, sizeof name);
		at = put_pair(at, METRIC_LABEL, name, point->label[i].value);
	}
	at = point->times ? put_histogram(at, point, writer->start_ns) : put_value(at, writer->metric, point->value);
	at = pb_close(at, inside);
	fwrite(writer->buf, 1, (size_t)(at - writer->buf), writer->family);
}

static void put_head(struct writer *writer, const char *name)
{
	static const uint8_t types[] = { 0, 1, 4 };
	const struct metric *metric = writer->metric;
	uint8_t *at = put_text(put_text(writer->buf, FAMILY_NAME, name), FAMILY_HELP, metric->help);

	at = pb_put_uint(at, FAMILY_TYPE, types[metric->type]);
	if (!strcmp(metric->unit, "s") || !strcmp(metric->unit, "By"))
		at = put_text(at, FAMILY_UNIT, *metric->unit == 's' ? "seconds" : "bytes");
	fwrite(writer->buf, 1, (size_t)(at - writer->buf), writer->family);
}

static void put_family(struct writer *writer, const struct door_in *in, FILE *out)
{
	char *data = NULL, name[METRIC_NAME];
	uint8_t length[PB_VARINT_MAX];
	size_t size = 0;

	writer->family = open_memstream(&data, &size);
	if (!writer->family)
		return;
	metric_prometheus_name(writer->metric, name, sizeof name);
	put_head(writer, name);
	writer->metric->each(writer->metric, in->fleet, in->own, visit, writer);
	if (!fclose(writer->family)) {
		fwrite(length, 1, (size_t)(pb_put_varint(length, size) - length), out);
		fwrite(data, 1, size, out);
	}
	free(data);
}

void prometheus_protobuf_write(const struct door_in *in, FILE *out)
{
	struct writer *writer = malloc(sizeof *writer);

	if (!writer)
		return;
	writer->start_ns = fleet_interval(in->fleet)->start_realtime_ns;
	for (size_t i = 0; i < n_metrics; i++) {
		writer->metric = &metrics[i];
		put_family(writer, in, out);
	}
	free(writer);
}
