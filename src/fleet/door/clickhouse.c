// SPDX-License-Identifier: Apache-2.0
/*
 * A column is a name, a type and a function that writes the value of a row. Numbers are written as this machine has
 * them: both processors are little-endian, as the format is.
 */
#include <stdlib.h>
#include <string.h>

#include "base/pb.h"
#include "fleet/door/door_in.h"

/* Buckets begin at multiples of so many, so that few groups are summed before they are merged. */
enum { BUCKET_STEP = 16 };

struct row {
	const struct door_in *in;
	const struct series *series;	     /* NULL: not of a series */
	const struct fleet_service *service; /* the same */
	const struct tail_row *tail;	     /* the same; with its series */
};

struct column {
	const char *name, *type;
	void (*put)(FILE *out, const struct row *row);
	uint64_t (*count)(const struct row *row); /* of an array: how many values put writes */
};

static void put_varint(FILE *out, uint64_t value)
{
	uint8_t buf[PB_VARINT_MAX];

	fwrite(buf, 1, (size_t)(pb_put_varint(buf, value) - buf), out);
}

static void put_text(FILE *out, const char *text)
{
	put_varint(out, strlen(text));
	fwrite(text, 1, strlen(text), out);
}

static void put_64(FILE *out, uint64_t value)
{
	fwrite(&value, sizeof value, 1, out);
}

static void put_32(FILE *out, uint64_t value)
{
	uint32_t cut = value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;

	fwrite(&cut, sizeof cut, 1, out);
}

static void put_block(FILE *out, const struct column *columns, size_t n_columns, const struct row *rows, size_t n)
{
	put_varint(out, n_columns);
	put_varint(out, n);
	for (size_t c = 0; c < n_columns; c++) {
		uint64_t end = 0;

		put_text(out, columns[c].name);
		put_text(out, columns[c].type);
		for (size_t i = 0; columns[c].count && i < n; i++)
			put_64(out, end += columns[c].count(&rows[i]));
		for (size_t i = 0; i < n; i++)
			columns[c].put(out, &rows[i]);
	}
}

/* Of the watcher's own row, and of a service's: everything is 0 or "". */
static const struct series_labels *labels_of(const struct row *row)
{
	static const struct series_labels none;

	return row->series ? &row->series->labels : &none;
}

static const struct series_sums *sums_of(const struct row *row)
{
	static const struct series_sums none;

	return row->series ? &row->series->last : &none;
}

static const struct series_tokens *tokens_of(const struct row *row)
{
	static const struct series_tokens none;

	return row->series && row->series->generations ? &row->series->generations->last : &none;
}

static bool is_own(const struct row *row)
{
	return !row->series && !row->service;
}

#define COLUMN(name_, put_, value) \
	static void name_(FILE *out, const struct row *row) \
	{ \
		put_(out, value); \
	}

#define ORIGIN(field) (row->service ? row->service->origin.field : labels_of(row)->field)
#define OWN(value) (is_own(row) ? (uint64_t)(value) : 0)
#define INTERVAL fleet_interval(row->in->fleet)
#define LAST fleet_own_last(row->in->fleet)

COLUMN(ts, put_64, INTERVAL->end_realtime_ns / 1000000)
COLUMN(interval_ms, put_32, (INTERVAL->end_realtime_ns - INTERVAL->begin_realtime_ns) / 1000000)
COLUMN(number, put_64, INTERVAL->number)
COLUMN(host, put_text, row->in->own->host.name)
COLUMN(boot, put_text, row->in->own->host.boot)
COLUMN(machine, put_text, row->in->own->host.machine)
COLUMN(service, put_text, is_own(row) ? "inftrace" : ORIGIN(service))
COLUMN(service_version, put_text, is_own(row) ? row->in->own->version : ORIGIN(service_version))
COLUMN(k8s_namespace, put_text, ORIGIN(k8s_namespace))
COLUMN(k8s_pod, put_text, ORIGIN(k8s_pod))
COLUMN(container, put_text, ORIGIN(container))
COLUMN(model, put_text, labels_of(row)->model)
COLUMN(runtime, put_text, labels_of(row)->runtime)
COLUMN(runtime_version, put_text, labels_of(row)->runtime_version)
COLUMN(provider, put_text, labels_of(row)->provider)
COLUMN(device_kind, put_text, labels_of(row)->device)
COLUMN(n, put_32, sums_of(row)->runs.n)
COLUMN(sum_ns, put_64, sums_of(row)->runs.ns)
COLUMN(max_ns, put_64, row->series ? row->series->slowest.ns : 0)
COLUMN(first_n, put_32, sums_of(row)->firsts.n)
COLUMN(first_ns, put_64, sums_of(row)->firsts.ns)
COLUMN(cpu_ns, put_64, sums_of(row)->cpu_ns)
COLUMN(wait_ns, put_64, sums_of(row)->queued_ns)
COLUMN(blocked_ns, put_64, sums_of(row)->blocked_ns)
COLUMN(running, put_32, row->series ? row->series->n_open : 0)
COLUMN(sessions, put_32, row->series ? row->series->n_sessions : 0)
COLUMN(created, put_32, sums_of(row)->n_created)
COLUMN(not_created, put_32, sums_of(row)->n_not_created)
COLUMN(creating_ns, put_64, sums_of(row)->creating_ns)
static uint64_t kernels_ns(const struct row *row)
{
	uint64_t sum = 0;

	for (size_t i = 0; row->series && i < row->series->n_kernels; i++)
		sum += row->series->kernel[i].last_ns;
	return sum;
}

COLUMN(kernel_ns, put_64, kernels_ns(row))
COLUMN(fallback_nodes, put_32, row->series ? row->series->n_fallback : 0)
COLUMN(input_tokens, put_64, tokens_of(row)->n_in)
COLUMN(output_tokens, put_64, tokens_of(row)->n_out)
COLUMN(first_token_n, put_32, tokens_of(row)->times[SERIES_FIRST_TOKEN].n)
COLUMN(first_token_ns, put_64, tokens_of(row)->times[SERIES_FIRST_TOKEN].ns)
COLUMN(token_n, put_32, tokens_of(row)->times[SERIES_BETWEEN_TOKENS].n)
COLUMN(token_ns, put_64, tokens_of(row)->times[SERIES_BETWEEN_TOKENS].ns)
COLUMN(processes, put_32, row->service ? row->service->n_processes : OWN(fleet_own(row->in->fleet)->n_watched))
COLUMN(unseen, put_32, OWN(fleet_own(row->in->fleet)->n_unseen))
COLUMN(process_cpu_ns, put_64,
       row->service ? (uint64_t)(row->service->last_cpu_s * 1e9) : OWN(row->in->own->last_cpu_s * 1e9))
COLUMN(resident_bytes, put_64,
       row->service ? (uint64_t)row->service->resident_bytes : OWN(row->in->own->resident_bytes))
static double device(const struct row *row, bool is_memory)
{
	double sum = 0;

	for (uint32_t i = 0; row->service && i < row->service->n_uses; i++)
		sum += is_memory ? row->service->use[i].bytes : row->service->use[i].last_s * 1e9;
	return sum;
}

COLUMN(device_ns, put_64, (uint64_t)device(row, false))
COLUMN(device_bytes, put_64, (uint64_t)device(row, true))
static double energy_j(const struct row *row)
{
	double sum = 0;

	for (uint32_t i = 0; row->service && i < row->service->n_energies; i++)
		sum += row->service->energy[i].last_j;
	return sum;
}

COLUMN(energy_mj, put_64, (uint64_t)(energy_j(row) * 1e3))
COLUMN(lost, put_64, OWN(LAST->n_lost))
COLUMN(skipped, put_64, OWN(LAST->n_skipped + LAST->n_unprobed + LAST->n_unknown))
COLUMN(batches_dropped, put_32, OWN(row->in->own->n_dropped_last))

static void failed(FILE *out, const struct row *row)
{
	uint64_t sum = 0;

	for (int class = 0; class < N_FAILURES; class++)
		sum += sums_of(row)->failed[class];
	put_32(out, sum);
}

/* At scale 5 always: what is coarser stands in the middle of where it may be. */
static int32_t place_of(const struct exponential *histogram, uint32_t at)
{
	int32_t width = 1 << histogram->halved;

	return (histogram->first + (int32_t)at) * width + width / 2;
}

static int32_t first_bucket(const struct row *row)
{
	const struct exponential *histogram = &sums_of(row)->runs.histogram;
	int32_t first = histogram->n ? place_of(histogram, 0) : 0;

	return first - (first % BUCKET_STEP + BUCKET_STEP) % BUCKET_STEP;
}

static uint64_t n_buckets(const struct row *row)
{
	const struct exponential *histogram = &sums_of(row)->runs.histogram;

	return histogram->n ? (uint64_t)(place_of(histogram, histogram->n - 1) - first_bucket(row)) + 1 : 0;
}

static void bucket_first(FILE *out, const struct row *row)
{
	int16_t first = (int16_t)first_bucket(row);

	fwrite(&first, sizeof first, 1, out);
}

static void bucket_n(FILE *out, const struct row *row)
{
	const struct exponential *histogram = &sums_of(row)->runs.histogram;
	int32_t place = first_bucket(row);

	for (uint32_t i = 0; i < histogram->n; i++) {
		while (place++ < place_of(histogram, i))
			put_32(out, 0);
		put_32(out, histogram->bucket[i]);
	}
}

#define TEXT(name) { #name, "String", name }
#define COUNT(name) { #name, "UInt32", name }
#define SUM(name) { #name, "UInt64", name }

static const struct column intervals[] = {
	{ "ts", "DateTime64(3)", ts },
	COUNT(interval_ms),
	SUM(number),
	TEXT(host),
	TEXT(boot),
	TEXT(machine),
	TEXT(service),
	TEXT(service_version),
	TEXT(k8s_namespace),
	TEXT(k8s_pod),
	TEXT(container),
	TEXT(model),
	TEXT(runtime),
	TEXT(runtime_version),
	TEXT(provider),
	{ "device", "String", device_kind },
	COUNT(n),
	COUNT(failed),
	SUM(sum_ns),
	SUM(max_ns),
	COUNT(first_n),
	SUM(first_ns),
	SUM(cpu_ns),
	SUM(wait_ns),
	SUM(blocked_ns),
	COUNT(running),
	COUNT(sessions),
	COUNT(created),
	COUNT(not_created),
	SUM(creating_ns),
	COUNT(processes),
	COUNT(unseen),
	SUM(process_cpu_ns),
	SUM(resident_bytes),
	SUM(device_ns),
	SUM(device_bytes),
	SUM(energy_mj),
	COUNT(fallback_nodes),
	SUM(kernel_ns),
	SUM(input_tokens),
	SUM(output_tokens),
	COUNT(first_token_n),
	SUM(first_token_ns),
	COUNT(token_n),
	SUM(token_ns),
	SUM(lost),
	SUM(skipped),
	COUNT(batches_dropped),
	{ "bucket_first", "Int16", bucket_first },
	{ "bucket_n", "Array(UInt32)", bucket_n, n_buckets },
};

static bool did_something(const struct series *series)
{
	const struct series_sums *sums = &series->last;

	return sums->runs.n || sums->n_created || sums->n_not_created || series->n_open || series->n_sessions ||
	       series_had_generations(series);
}

void clickhouse_write_intervals(const struct door_in *in, FILE *out)
{
	const struct series_table *table = fleet_series(in->fleet);
	size_t n_services = fleet_n_services(in->fleet), n = 0;
	struct row *rows = malloc((table->n + n_services + 1) * sizeof *rows);

	if (!rows)
		return;
	rows[n++] = (struct row){ .in = in };
	for (size_t i = 0; i < n_services; i++)
		rows[n++] = (struct row){ .in = in, .service = fleet_service(in->fleet, i) };
	for (size_t i = 0; i < table->n; i++)
		if (did_something(table->row[i]))
			rows[n++] = (struct row){ .in = in, .series = table->row[i] };
	put_block(out, intervals, sizeof intervals / sizeof *intervals, rows, n);
	free(rows);
}

#define RUN (&row->tail->run)
#define KNOWN(value) ((value) > 0 ? (uint64_t)(value) : 0)

COLUMN(ended, put_64, RUN->realtime_ns)
COLUMN(reason, put_text, tail_reason_name(row->tail->reason))
COLUMN(weight, put_32, row->tail->weight)
COLUMN(ns, put_64, RUN->ns)
COLUMN(pid, put_32, (uint64_t)RUN->pid)
COLUMN(tid, put_32, (uint64_t)RUN->tid)
COLUMN(inference, put_64, RUN->number)
COLUMN(run_cpu_ns, put_64, KNOWN(RUN->cpu_ns))
COLUMN(run_wait_ns, put_64, KNOWN(RUN->queued_ns))
COLUMN(major_faults, put_32, KNOWN(RUN->major_faults))
COLUMN(read_bytes, put_64, KNOWN(RUN->read_bytes))
COLUMN(at_a_time, put_32, RUN->n_open)
COLUMN(trace_id, put_text, RUN->trace)
COLUMN(span_id, put_text, RUN->span)
COLUMN(status, put_text, RUN->status)
COLUMN(operators, put_text, RUN->operators)
COLUMN(error, put_text, *RUN->status ? failure_name(failure_of(RUN->status)) : "")

static void why(FILE *out, const struct row *row)
{
	char text[TAIL_WHY];

	tail_say_why(RUN, text, sizeof text);
	put_text(out, text);
}

static void recording(FILE *out, const struct row *row)
{
	const char *path = fleet_recording_of(row->in->fleet, RUN);

	put_text(out, path ? path : "");
}

static const struct column inferences[] = {
	{ "ts", "DateTime64(9)", ended },
	TEXT(host),
	TEXT(boot),
	TEXT(machine),
	TEXT(service),
	TEXT(service_version),
	TEXT(k8s_namespace),
	TEXT(k8s_pod),
	TEXT(container),
	TEXT(model),
	TEXT(runtime),
	TEXT(runtime_version),
	TEXT(provider),
	{ "device", "String", device_kind },
	TEXT(reason),
	COUNT(weight),
	SUM(ns),
	COUNT(pid),
	COUNT(tid),
	SUM(inference),
	{ "cpu_ns", "UInt64", run_cpu_ns },
	{ "wait_ns", "UInt64", run_wait_ns },
	COUNT(major_faults),
	SUM(read_bytes),
	COUNT(at_a_time),
	TEXT(trace_id),
	TEXT(span_id),
	TEXT(status),
	TEXT(error),
	TEXT(why),
	TEXT(operators),
	TEXT(recording),
};

bool clickhouse_write_inferences(const struct door_in *in, FILE *out)
{
	const struct tail *tail = fleet_tail(in->fleet);
	struct row rows[N_TAIL_REASONS * TAIL_ROWS];
	size_t n = 0;

	for (int reason_ = 0; reason_ < N_TAIL_REASONS; reason_++)
		for (uint32_t i = 0; i < tail->n[reason_]; i++)
			rows[n++] = (struct row){ .in = in,
						  .series = tail->row[reason_][i].run.series,
						  .tail = &tail->row[reason_][i] };
	if (n)
		put_block(out, inferences, sizeof inferences / sizeof *inferences, rows, n);
	return n > 0;
}
