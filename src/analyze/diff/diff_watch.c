// SPDX-License-Identifier: Apache-2.0
/*
 * Sums rows up by machine and series. A machine is a run: rows of one machine have its load and its hardware in common,
 * so that many of them do not make up for many machines. Where a side has one machine alone, medians of its stretches
 * of time tell how steady it was.
 */
#include "analyze/diff/diff_watch.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/stats/exponential.h"
#include "base/text/json_fields.h"
#include "base/text/printable.h"

enum {
	MAX_BLOCKS = 2 * STATS_TYPICAL_BLOCKS, /* then each takes twice as many rows */
	MAX_TOLD = 3,			       /* services and runtimes that are named */
	MAX_NOTES = 4,
	TIME = 40,
	MAX_BUCKET = 1 << 16, /* also how many a row may have: at one scale it has more than a histogram */
	ROWS_A_SCRATCH = 4096,
};

#define LEAST_INFERENCES (STATS_TYPICAL_LEAST * STATS_TYPICAL_PER_BLOCK)

struct machine {
	const char *name, *id, *path; /* id: NULL: not known. path: of the first file that has it */
	char last_ts[TIME];	      /* of the last row; "": it has none */
	double last_begin_ns, covered_s, lost;
	uint32_t hash;
	bool is_unordered;
};

struct series {
	const char *service, *model, *provider, *device, *runtime;
	struct exponential histogram;
	struct exponential *block; /* MAX_BLOCKS consecutive parts of it, of the first run; NULL: of another one */
	double n, sum_ns, n_first, first_ns, cpu_ns, wait_ns, n_created, creating_ns;
	double bytes, bytes_sum, bytes_last, n_bytes; /* resident, of a process of a service */
	uint32_t run, hash, next_of_run;	      /* next_of_run: its number; 0: it is the last one */
	uint32_t n_blocks, rows_a_block, n_rows;      /* n_rows: in the last block */
	bool is_joined;				      /* its sums are in another one */
};

struct row {
	const char *kind, *host, *machine, *service, *service_version, *model, *runtime, *runtime_version, *provider,
	    *device, *ts, *version;
	double begin_ns, end_ns, interval_ms, scale, n, sum_ns, n_first, first_ns, cpu_ns, wait_ns, n_created,
	    n_not_created, creating_ns, processes, resident_bytes, lost;
	int64_t first;
	struct array *buckets; /* uint64_t */
	bool is_damaged;
};

#define FIELD(type, name) JSON_FIELD_##type, offsetof(struct row, name)

static void add_bucket(struct json_fields *reader, enum json_token token, void *to)
{
	struct row *row = to;
	int64_t n = 0;
	bool is_known = token == JSON_NUMBER && json_span_int(reader->json.value, &n) && n >= 0;

	uint64_t *bucket;

	json_fields_skip(reader, token);
	row->is_damaged |= !is_known || row->buckets->n == MAX_BUCKET;
	if (row->is_damaged)
		return;
	bucket = array_add(row->buckets, sizeof *bucket);
	reader->is_out_of_memory |= !bucket;
	if (bucket)
		*bucket = (uint64_t)n;
}

static const struct json_field duration_fields[] = {
	{ "scale", FIELD(REAL, scale) },
	{ "first", FIELD(WHOLE, first) },
	{ "buckets", JSON_FIELD_LIST, .element = add_bucket },
	{ NULL },
};

/* Names of lines, then those of the table's columns where they differ. */
static const struct json_field row_fields[] = {
	{ "kind", FIELD(NAME, kind) },
	{ "host", FIELD(NAME, host) },
	{ "machine", FIELD(NAME, machine) },
	{ "service", FIELD(NAME, service) },
	{ "service_version", FIELD(NAME, service_version) },
	{ "model", FIELD(NAME, model) },
	{ "runtime", FIELD(NAME, runtime) },
	{ "runtime_version", FIELD(NAME, runtime_version) },
	{ "provider", FIELD(NAME, provider) },
	{ "device", FIELD(NAME, device) },
	{ "version", FIELD(NAME, version) },
	{ "begin_ns", FIELD(COUNT, begin_ns) },
	{ "end_ns", FIELD(COUNT, end_ns) },
	{ "inferences", FIELD(COUNT, n) },
	{ "inference_ns", FIELD(COUNT, sum_ns) },
	{ "first_inferences", FIELD(COUNT, n_first) },
	{ "first_inference_ns", FIELD(COUNT, first_ns) },
	{ "cpu_ns", FIELD(COUNT, cpu_ns) },
	{ "cpu_wait_ns", FIELD(COUNT, wait_ns) },
	{ "created", FIELD(COUNT, n_created) },
	{ "not_created", FIELD(COUNT, n_not_created) },
	{ "creating_ns", FIELD(COUNT, creating_ns) },
	{ "events_lost", FIELD(COUNT, lost) },
	{ "durations", JSON_FIELD_OBJECT, .inner = duration_fields },
	{ "ts", FIELD(NAME, ts) },
	{ "interval_ms", FIELD(COUNT, interval_ms) },
	{ "n", FIELD(COUNT, n) },
	{ "sum_ns", FIELD(COUNT, sum_ns) },
	{ "first_n", FIELD(COUNT, n_first) },
	{ "first_ns", FIELD(COUNT, first_ns) },
	{ "wait_ns", FIELD(COUNT, wait_ns) },
	{ "processes", FIELD(COUNT, processes) },
	{ "resident_bytes", FIELD(COUNT, resident_bytes) },
	{ "lost", FIELD(COUNT, lost) },
	{ "bucket_first", FIELD(WHOLE, first) },
	{ "bucket_n", JSON_FIELD_LIST, .element = add_bucket },
	{ NULL },
};

static const char *line_end(const char *text, const char *end)
{
	const char *at = memchr(text, '\n', (size_t)(end - text));

	return at ? at : end;
}

bool diff_watch_is(const char *text, size_t len)
{
	static const char *const kinds[] = { "{\"kind\":\"watch\",", "{\"kind\":\"series\",",
					     "{\"kind\":\"inference\"," };
	static const char column[] = "\"bucket_n\":";
	size_t first = (size_t)(line_end(text, text + len) - text);

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (first > strlen(kinds[i]) && !memcmp(text, kinds[i], strlen(kinds[i])))
			return true;
	return first && *text == '{' && memmem(text, first, column, sizeof column - 1);
}

static uint32_t add_hash(uint32_t hash, const char *text)
{
	for (text = text ? text : ""; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 16777619u;
	return (hash ^ 0xff) * 16777619u;
}

static bool is_text(const char *a, const char *b)
{
	return !strcmp(a ? a : "", b ? b : "");
}

static const char *keep(struct diff_watch *watch, const char *text, bool *is_out_of_memory)
{
	/* tables have no columns that are absent */
	bool is_known = text && *text;
	const char *kept = is_known ? arena_keep(watch->arena, text) : NULL;

	*is_out_of_memory |= is_known && !kept;
	return kept;
}

static uint32_t machine_hash(const void *of, uint32_t number)
{
	return ((const struct machine *)((const struct array *)of)->data)[number - 1].hash;
}

static uint32_t series_hash(const void *of, uint32_t number)
{
	return ((const struct series *)((const struct array *)of)->data)[number - 1].hash;
}

/* One that was started again is the same; one of the same name that was installed apart is another one. */
static bool is_id(const char *id, const char *other)
{
	return !id || !other || !*other || !strcmp(id, other);
}

static struct machine *machine_of(struct diff_watch *watch, const struct row *row, const char *path)
{
	uint32_t hash = add_hash(2166136261u, row->host), at;
	struct index *index = &watch->machine_index;
	struct machine *machine;
	bool is_out_of_memory = false;

	if (!index_room(index, watch->machines.n + 1, machine_hash, &watch->machines))
		return NULL;
	for (at = hash & index->mask; index->number[at]; at = (at + 1) & index->mask) {
		machine = (struct machine *)watch->machines.data + index->number[at] - 1;
		if (is_text(machine->name, row->host) && is_id(machine->id, row->machine)) {
			machine->id = machine->id ? machine->id : keep(watch, row->machine, &is_out_of_memory);
			return is_out_of_memory ? NULL : machine;
		}
	}
	machine = array_add(&watch->machines, sizeof *machine);
	if (!machine)
		return NULL;
	*machine = (struct machine){ .name = keep(watch, row->host, &is_out_of_memory),
				     .id = keep(watch, row->machine, &is_out_of_memory),
				     .path = path,
				     .hash = hash };
	index->number[at] = (uint32_t)watch->machines.n;
	return is_out_of_memory ? NULL : machine;
}

static bool is_row_of(const struct series *series, const struct row *row, uint32_t run)
{
	return series->run == run && is_text(series->model, row->model) && is_text(series->service, row->service) &&
	       is_text(series->provider, row->provider) && is_text(series->device, row->device) &&
	       is_text(series->runtime, row->runtime);
}

static struct series *series_of(struct diff_watch *watch, const struct row *row, uint32_t run)
{
	const char *labels[] = { row->model, row->service, row->provider, row->device, row->runtime };
	uint32_t hash = 2166136261u ^ run, at;
	struct index *index = &watch->series_index;
	struct series *series;
	bool is_out_of_memory = false;

	for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
		hash = add_hash(hash, labels[i]);
	if (!index_room(index, watch->series.n + 1, series_hash, &watch->series))
		return NULL;
	for (at = hash & index->mask; index->number[at]; at = (at + 1) & index->mask) {
		series = (struct series *)watch->series.data + index->number[at] - 1;
		if (is_row_of(series, row, run))
			return series;
	}
	series = array_add(&watch->series, sizeof *series);
	if (!series)
		return NULL;
	*series = (struct series){ .service = keep(watch, row->service, &is_out_of_memory),
				   .model = keep(watch, row->model, &is_out_of_memory),
				   .provider = keep(watch, row->provider, &is_out_of_memory),
				   .device = keep(watch, row->device, &is_out_of_memory),
				   .runtime = keep(watch, row->runtime, &is_out_of_memory),
				   .run = run,
				   .hash = hash,
				   .rows_a_block = 1 };
	series->block = run ? NULL : calloc(MAX_BLOCKS, sizeof *series->block);
	index->number[at] = (uint32_t)watch->series.n;
	return is_out_of_memory || (!run && !series->block) ? NULL : series;
}

/*
 * "shop 1.4", each once: the first ones by name, so that the order of rows makes no difference. One more than are named
 * stands for all others.
 */
static bool tell(struct diff_watch *watch, struct array *told, const char *name, const char *version)
{
	struct printable text = { "" };
	const char **names = told->data;
	size_t at = 0;
	int order = 1;
	bool is_out_of_memory = false;

	if (!name)
		return true;
	printable_add(&text, "%s%s%s", name, version ? " " : "", version ? version : "");
	while (at < told->n && (order = strcmp(text.s, names[at])) > 0)
		at++;
	if (at > MAX_TOLD || !order)
		return true;
	if (told->n <= MAX_TOLD && !array_add(told, sizeof *names))
		return false;
	names = told->data;
	memmove(names + at + 1, names + at, (told->n - at - 1) * sizeof *names);
	names[at] = keep(watch, text.s, &is_out_of_memory);
	return !is_out_of_memory;
}

/* Neighbours become one, so that there is room for as many again. */
static bool join_blocks(struct series *series)
{
	for (uint32_t i = 0; i < MAX_BLOCKS / 2; i++) {
		struct exponential *to = &series->block[i];

		if (i) {
			exponential_clear(to);
			if (!exponential_merge(to, &series->block[2 * i]))
				return false;
		}
		if (!exponential_merge(to, &series->block[2 * i + 1]))
			return false;
	}
	for (uint32_t i = MAX_BLOCKS / 2; i < MAX_BLOCKS; i++)
		exponential_clear(&series->block[i]);
	series->n_blocks = MAX_BLOCKS / 2;
	series->rows_a_block *= 2;
	return true;
}

static bool add_to_block(struct series *series, const struct exponential *histogram)
{
	if (!series->n_blocks || series->n_rows == series->rows_a_block) {
		if (series->n_blocks == MAX_BLOCKS && !join_blocks(series))
			return false;
		series->n_blocks++;
		series->n_rows = 0;
	}
	series->n_rows++;
	return exponential_merge(&series->block[series->n_blocks - 1], histogram);
}

/* Rows of an interval follow one another. */
static void add_time(struct machine *machine, const struct row *row)
{
	double seconds = row->ts ? row->interval_ms / 1e3 : (row->end_ns - row->begin_ns) / 1e9;
	int order = row->ts ? strncmp(row->ts, machine->last_ts, TIME - 1)
			    : (row->begin_ns > machine->last_begin_ns) - (row->begin_ns < machine->last_begin_ns);

	machine->is_unordered |= order < 0;
	if (!order)
		return;
	machine->covered_s += seconds > 0 ? seconds : 0;
	machine->last_begin_ns = row->begin_ns;
	snprintf(machine->last_ts, sizeof machine->last_ts, "%s", row->ts ? row->ts : "");
}

static void add_memory(struct series *series, const struct row *row)
{
	double bytes = row->resident_bytes / row->processes;

	if (!(bytes > 0))
		return;
	series->bytes_last = bytes;
	series->bytes_sum += bytes;
	series->n_bytes++;
	series->bytes = fmax(series->bytes, bytes);
}

static bool add_sums(struct series *series, const struct row *row)
{
	const struct exponential histogram = { .bucket = row->buckets->data,
					       .first = (int32_t)row->first,
					       .n = (uint32_t)row->buckets->n,
					       .halved = (uint32_t)(EXPONENTIAL_SCALE - row->scale) };

	series->n += row->n;
	series->sum_ns += row->sum_ns;
	series->n_first += row->n_first;
	series->first_ns += row->first_ns;
	series->cpu_ns += row->cpu_ns;
	series->wait_ns += row->wait_ns;
	series->n_created += row->n_created + row->n_not_created;
	series->creating_ns += row->creating_ns;
	add_memory(series, row);
	return !histogram.n || (exponential_merge(&series->histogram, &histogram) &&
				(!series->block || add_to_block(series, &histogram)));
}

/* Whether the row of a series or a service; else it is of the watcher, or an inference. */
static bool is_counted(const struct row *row)
{
	return row->kind ? !strcmp(row->kind, "series")
			 : row->model || (row->processes > 0 && !is_text(row->service, "inftrace"));
}

static bool add_row(struct diff_watch *watch, struct row *row, const char *path)
{
	struct machine *machine = machine_of(watch, row, path);
	struct series *series;
	bool is_out_of_memory = false;

	if (!machine)
		return false;
	if (!watch->version && row->version)
		watch->version = keep(watch, row->version, &is_out_of_memory);
	machine->lost += row->lost;
	if (is_out_of_memory || !is_counted(row))
		return !is_out_of_memory;
	add_time(machine, row);
	if (!tell(watch, &watch->services, row->service, row->service_version) ||
	    !tell(watch, &watch->runtimes, row->runtime, row->runtime_version))
		return false;
	series = series_of(watch, row, (uint32_t)(machine - (struct machine *)watch->machines.data) % DIFF_MAX_RUNS);
	return series && add_sums(series, row);
}

/* What would not fit into a histogram here, or is none of ours. */
static bool is_sound(const struct row *row)
{
	return !row->is_damaged && row->scale >= 0 && row->scale <= EXPONENTIAL_SCALE &&
	       trunc(row->scale) == row->scale && row->first >= -MAX_BUCKET && row->first <= MAX_BUCKET;
}

static int read_row(struct diff_watch *watch, struct json_fields *reader, struct array *buckets, const char *path,
		    struct err *err)
{
	struct row row = { .scale = EXPONENTIAL_SCALE, .buckets = buckets };
	bool is_object = json_read_next(&reader->json) == JSON_OBJECT;

	if (is_object)
		json_fields_read(reader, row_fields, &row);
	if (!reader->is_out_of_memory &&
	    (!is_object || reader->json.is_broken || json_read_next(&reader->json) != JSON_END))
		return err_set(err, EBADMSG, "it is no row of inftrace watch, or damaged; export the rows again");
	if (!reader->is_out_of_memory && (!row.host || !(row.ts || row.end_ns > 0)))
		return err_set(err, EBADMSG, "it has no %s; export the rows with all columns",
			       row.host ? "time" : "host");
	if (!is_sound(&row))
		return err_set(err, EBADMSG, "its histogram is damaged; export the rows again");
	if (reader->is_out_of_memory || !add_row(watch, &row, path))
		return err_set(err, ENOMEM, "out of memory");
	return 0;
}

int diff_watch_add(struct diff_watch *watch, const char *path, const char *text, size_t len, struct err *err)
{
	const char *end = text + len, *next;
	struct array buckets = { 0 };
	struct arena scratch = { 0 };
	uint64_t line = 0;
	int code = 0;

	for (; !code && text < end; text = next + 1) {
		struct json_fields reader = { .arena = &scratch };

		next = line_end(text, end);
		line++;
		if (next == text)
			continue;
		json_read_init(&reader.json, text, (size_t)(next - text));
		buckets.n = 0;
		code = read_row(watch, &reader, &buckets, path, err);
		/* of a file that is being written, the last line may not be complete yet */
		if (code == -EBADMSG && next == end && line > 1)
			code = 0;
		if (line % ROWS_A_SCRATCH == 0) {
			arena_done(&scratch);
			scratch = (struct arena){ 0 };
		}
	}
	arena_done(&scratch);
	array_done(&buckets, sizeof(uint64_t));
	return code ? err_wrap(err, "cannot compare %s: line %llu", path, (unsigned long long)line) : 0;
}

/* A run while it is made of the machines and series that are its own. */
struct making {
	const struct diff_watch *watch;
	struct diff_run *run;
	uint32_t number, n_series, first_series; /* first_series: of its own; 0: it has none */
	double covered_s, wait_ns, sum_ns;
	bool is_unordered, is_out_of_memory;
};

static const char *say(struct making *making, const struct printable *text)
{
	const char *kept = *text->s ? arena_keep(making->watch->arena, text->s) : NULL;

	making->is_out_of_memory |= *text->s && !kept;
	return kept;
}

/* "shop 1.4, shop 1.5" */
static const char *list(struct making *making, const struct array *told)
{
	struct printable text = { "" };

	for (size_t i = 0; i < told->n && i < MAX_TOLD; i++)
		printable_add(&text, "%s%s", i ? ", " : "", ((const char **)told->data)[i]);
	if (told->n > MAX_TOLD)
		printable_add(&text, " and others");
	return say(making, &text);
}

static void note(struct making *making, const struct printable *text)
{
	if (making->run->n_notes < MAX_NOTES)
		making->run->notes[making->run->n_notes++] = say(making, text);
}

static void take_machine(struct making *making, const struct machine *machine)
{
	struct diff_run *run = making->run;
	struct printable text = { "" };

	making->covered_s += machine->covered_s;
	making->is_unordered |= machine->is_unordered;
	if (!run->path) {
		printable_add(&text, "%s, %s%s", machine->path, machine->name,
			      making->number + DIFF_MAX_RUNS < making->watch->machines.n ? " and others" : "");
		run->path = say(making, &text);
		text = (struct printable){ "" };
	}
	if (machine->lost > 0) {
		printable_add(&text, "%s of %s lost: inferences may be missing",
			      printable_count((uint64_t)machine->lost, "event").s, machine->name);
		note(making, &text);
		text = (struct printable){ "" };
	}
	if (machine->is_unordered) {
		printable_add(&text,
			      "rows of %s are not in order of time, so its rate is not known, nor how steady it was; "
			      "sort them by time, or give the older file first",
			      machine->name);
		note(making, &text);
	}
}

static double per(double sum, double n)
{
	return n > 0 && sum > 0 ? sum / n : NAN;
}

/* How far medians of stretches of time lie apart, on the only machine. */
static double scatter_of(const struct series *series)
{
	float median[MAX_BLOCKS];

	if (!series->block || series->n < LEAST_INFERENCES)
		return NAN;
	for (uint32_t i = 0; i < series->n_blocks; i++)
		median[i] = (float)exponential_quantile(&series->block[i], 0.5);
	return stats_typical_scatter(median, series->n_blocks);
}

static void take_series(struct making *making, const struct series *series)
{
	struct diff_model *to = &making->run->models[making->run->n_models++];
	struct printable name = { "" };

	diff_model_init(to);
	printable_add(&name, "%s", series->model);
	if (series->service)
		printable_add(&name, " of %s", series->service);
	to->name = say(making, &name);
	to->runtime = series->runtime;
	to->provider = series->provider;
	to->operators_missing = "rows of inftrace watch have none";
	to->n = (uint64_t)fmin(series->n, 1e18);
	to->wall_ns = series->sum_ns;
	to->figure[DIFF_MEDIAN] = exponential_quantile(&series->histogram, 0.5);
	to->figure[DIFF_P99] = exponential_quantile(&series->histogram, 0.99);
	to->figure[DIFF_MEAN] = per(series->sum_ns, series->n);
	to->figure[DIFF_FIRST] = per(series->first_ns, series->n_first);
	to->figure[DIFF_RATE] = making->is_unordered ? NAN : per(series->n, making->covered_s);
	to->figure[DIFF_CPU] = per(series->cpu_ns, series->n);
	to->figure[DIFF_WAIT] = per(series->wait_ns, series->n);
	to->figure[DIFF_CREATION] = per(series->creating_ns, series->n_created);
	to->scatter[DIFF_MEDIAN] = making->is_unordered ? NAN : scatter_of(series);
	making->wait_ns += series->wait_ns;
	making->sum_ns += series->sum_ns;
}

static void take_memory(struct making *making, const struct series *series)
{
	if (!(series->n_bytes > 0))
		return;
	making->run->resources[making->run->n_resources++] =
	    (struct diff_resource){ .scope = series->service ? series->service : "service",
				    .name = "rss a process",
				    .unit = "bytes",
				    .mean = series->bytes_sum / series->n_bytes,
				    .max = series->bytes,
				    .last = series->bytes_last,
				    .n = (uint64_t)series->n_bytes,
				    .n_processes = 1 };
}

/* By what it is found on the other side: its name, with its id where another one has the same. */
static const char *call_machine(struct making *making, const struct machine *machine)
{
	const struct machine *all = making->watch->machines.data;
	struct printable text = { "" };
	size_t n_named = 0;

	for (size_t i = 0; i < making->watch->machines.n; i++)
		n_named += is_text(all[i].name, machine->name);
	if (n_named < 2 || !machine->id)
		return machine->name;
	printable_add(&text, "%s (%s)", machine->name, machine->id);
	return say(making, &text);
}

static void take_run(struct making *making)
{
	const struct diff_watch *watch = making->watch;
	const struct machine *machine = watch->machines.data;
	const struct series *series = watch->series.data;
	struct diff_run *run = making->run;
	size_t n = making->n_series;

	*run = (struct diff_run){ .source = DIFF_OF_WATCH,
				  .start_realtime_ns = -1,
				  .models = arena_alloc(watch->arena, (n + 1) * sizeof *run->models),
				  .resources = arena_alloc(watch->arena, (n + 1) * sizeof *run->resources),
				  .notes = arena_alloc(watch->arena, MAX_NOTES * sizeof *run->notes) };
	making->is_out_of_memory |= !run->models || !run->resources || !run->notes;
	if (making->is_out_of_memory)
		return;
	if (watch->machines.n <= DIFF_MAX_RUNS)
		run->machine = call_machine(making, &machine[making->number]);
	run->fact[DIFF_KIND] = "rows of inftrace watch";
	run->fact[DIFF_VERSION] = watch->version;
	/* of one machine each it is not known what is the machine's and what the version's, if these are two */
	if (watch->machines.n == 1)
		run->fact[DIFF_MACHINE] = machine->name;
	run->fact[DIFF_SERVICE] = list(making, &watch->services);
	run->fact[DIFF_RUNTIME] = list(making, &watch->runtimes);
	for (size_t i = making->number; i < watch->machines.n; i += DIFF_MAX_RUNS)
		take_machine(making, &machine[i]);
	for (uint32_t at = making->first_series; at; at = series[at - 1].next_of_run) {
		if (series[at - 1].model)
			take_series(making, &series[at - 1]);
		else
			take_memory(making, &series[at - 1]);
	}
	/* the closest to pressure that rows have */
	run->busy = making->wait_ns / making->sum_ns;
}

/* All but provider and device. */
static uint32_t rest_hash(const struct series *series)
{
	const char *labels[] = { series->model, series->service, series->runtime };
	uint32_t hash = 2166136261u ^ series->run;

	for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
		hash = add_hash(hash, labels[i]);
	return hash;
}

static uint32_t rest_hash_of(const void *of, uint32_t number)
{
	return rest_hash((const struct series *)((const struct array *)of)->data + number - 1);
}

static bool is_like(const struct series *a, const struct series *b)
{
	return a->run == b->run && is_text(a->model, b->model) && is_text(a->service, b->service) &&
	       is_text(a->runtime, b->runtime);
}

/* The only one like it whose provider is known; NULL: there is none, or there are several. */
static struct series *known_of(const struct diff_watch *watch, const struct index *known, const struct series *like)
{
	struct series *found = NULL;

	for (uint32_t at = rest_hash(like) & known->mask; known->number[at]; at = (at + 1) & known->mask) {
		struct series *series = (struct series *)watch->series.data + known->number[at] - 1;

		if (!is_like(series, like))
			continue;
		if (found)
			return NULL;
		found = series;
	}
	return found;
}

/* Blocks of the latter part of time are lost where both have some: they say only how steady one was. */
static bool join(struct series *to, struct series *from)
{
	double *const sums[] = { &to->n,      &to->sum_ns,  &to->n_first,   &to->first_ns,
				 &to->cpu_ns, &to->wait_ns, &to->n_created, &to->creating_ns };
	const double more[] = { from->n,      from->sum_ns,  from->n_first,   from->first_ns,
				from->cpu_ns, from->wait_ns, from->n_created, from->creating_ns };

	for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
		*sums[i] += more[i];
	from->is_joined = true;
	return exponential_merge(&to->histogram, &from->histogram);
}

/* A session that is older than a watcher has no provider in its rows. Where another one of the same model has, it is
 * that: the same program, seen from its start on one side and later on the other. */
static bool join_unknown(struct diff_watch *watch)
{
	struct series *series = watch->series.data;
	struct index known = { 0 };
	bool is_done = true;

	for (uint32_t i = 0; i < watch->series.n && is_done; i++) {
		uint32_t at;

		if (!series[i].model || !series[i].provider)
			continue;
		is_done = index_room(&known, i + 1, rest_hash_of, &watch->series);
		for (at = rest_hash(&series[i]) & known.mask; is_done && known.number[at]; at = (at + 1) & known.mask)
			;
		if (is_done)
			known.number[at] = i + 1;
	}
	for (uint32_t i = 0; i < watch->series.n && is_done && known.number; i++) {
		struct series *to = series[i].model && !series[i].provider ? known_of(watch, &known, &series[i]) : NULL;

		is_done = !to || join(to, &series[i]);
	}
	free(known.number);
	return is_done;
}

/* The series of a run, in the order of their appearance. */
struct of_run {
	uint32_t first, n; /* first: its number; 0: none */
};

static void sort_by_run(struct diff_watch *watch, struct of_run *of_run)
{
	struct series *series = watch->series.data;

	for (uint32_t number = (uint32_t)watch->series.n; number; number--) {
		struct of_run *run = &of_run[series[number - 1].run];

		if (series[number - 1].is_joined)
			continue;
		series[number - 1].next_of_run = run->first;
		run->first = number;
		run->n++;
	}
}

int diff_watch_take(struct diff_watch *watch, struct diff_side *side, struct err *err)
{
	uint32_t n = (uint32_t)(watch->machines.n < DIFF_MAX_RUNS ? watch->machines.n : DIFF_MAX_RUNS);
	struct of_run of_run[DIFF_MAX_RUNS] = { 0 };
	int code = 0;

	if (!join_unknown(watch))
		return err_no_memory(err, "cannot compare");
	sort_by_run(watch, of_run);
	for (uint32_t i = 0; !code && i < n; i++) {
		struct making making = { .watch = watch,
					 .number = i,
					 .n_series = of_run[i].n,
					 .first_series = of_run[i].first,
					 .run = diff_side_add(side, watch->arena, err) };

		if (!making.run)
			return -err->code;
		take_run(&making);
		code = making.is_out_of_memory ? err_no_memory(err, "cannot compare") : 0;
	}
	return code;
}

void diff_watch_done(struct diff_watch *watch)
{
	struct series *series = watch->series.data;

	for (size_t i = 0; i < watch->series.n; i++) {
		exponential_done(&series[i].histogram);
		for (uint32_t k = 0; series[i].block && k < MAX_BLOCKS; k++)
			exponential_done(&series[i].block[k]);
		free(series[i].block);
	}
	array_done(&watch->series, sizeof(struct series));
	array_done(&watch->machines, sizeof(struct machine));
	array_done(&watch->services, sizeof(char *));
	array_done(&watch->runtimes, sizeof(char *));
	free(watch->machine_index.number);
	free(watch->series_index.number);
}
