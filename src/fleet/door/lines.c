// SPDX-License-Identifier: Apache-2.0
/* Each line is an object whose "kind" says what it is of; doc/watch.md lists the fields. */
#include <string.h>

#include "base/text/json.h"
#include "fleet/door/door_in.h"

static void put_known(FILE *out, const char *key, const char *value)
{
	if (!*value)
		return;
	fprintf(out, ",\"%s\":", key);
	json_put_text(out, value);
}

static void put_time(FILE *out, const struct door_in *in, const char *kind)
{
	const struct fleet_interval *interval = fleet_interval(in->fleet);

	fprintf(out, "{\"kind\":\"%s\",\"host\":", kind);
	json_put_text(out, in->own->host.name);
	fputs(",\"boot\":", out);
	json_put_text(out, in->own->host.boot);
	put_known(out, "machine", in->own->host.machine);
	fprintf(out, ",\"interval\":%llu,\"begin_ns\":%llu,\"end_ns\":%llu", (unsigned long long)interval->number,
		(unsigned long long)interval->begin_realtime_ns, (unsigned long long)interval->end_realtime_ns);
}

static void put_labels(FILE *out, const struct series_labels *labels)
{
	put_known(out, "service", labels->service);
	put_known(out, "k8s_namespace", labels->k8s_namespace);
	put_known(out, "k8s_pod", labels->k8s_pod);
	put_known(out, "container", labels->container);
	put_known(out, "service_version", labels->service_version);
	put_known(out, "model", labels->model);
	put_known(out, "runtime", labels->runtime);
	put_known(out, "runtime_version", labels->runtime_version);
	put_known(out, "provider", labels->provider);
	put_known(out, "device", labels->device);
}

static void put_count(FILE *out, const char *key, uint64_t value)
{
	fprintf(out, ",\"%s\":%llu", key, (unsigned long long)value);
}

static void put_histogram(FILE *out, const char *key, const struct exponential *histogram)
{
	fprintf(out, ",\"%s\":{\"scale\":%d,\"first\":%d,\"buckets\":[", key, (int)exponential_scale(histogram),
		(int)histogram->first);
	for (uint32_t i = 0; i < histogram->n; i++)
		fprintf(out, "%s%llu", i ? "," : "", (unsigned long long)histogram->bucket[i]);
	fputs("]}", out);
}

static const char *const generation_keys[N_SERIES_GENERATION_TIMES] = { "first_token", "token", "token_mean",
									"generation" };

/* Each duration: how many, their sum, and the histogram. */
static void put_generations(FILE *out, const struct series_tokens *tokens)
{
	char key[32];

	put_count(out, "input_tokens", tokens->n_in);
	put_count(out, "output_tokens", tokens->n_out);
	for (int i = 0; i < N_SERIES_GENERATION_TIMES; i++) {
		const struct series_times *times = &tokens->times[i];

		if (!times->n)
			continue;
		snprintf(key, sizeof key, "%ss", generation_keys[i]);
		put_count(out, key, times->n);
		snprintf(key, sizeof key, "%s_ns", generation_keys[i]);
		put_count(out, key, times->ns);
		snprintf(key, sizeof key, "%s_durations", generation_keys[i]);
		put_histogram(out, key, &times->histogram);
	}
}

/* Kinds are of programs: any text. */
static void put_kernels(FILE *out, const struct series *series)
{
	fputs(",\"kernels\":{", out);
	for (size_t i = 0; i < series->n_kernels; i++) {
		fputs(i ? "," : "", out);
		json_put_text(out, series->kernel[i].type);
		fprintf(out, ":%llu", (unsigned long long)series->kernel[i].last_ns);
	}
	fputs("}", out);
}

static void put_phases(FILE *out, const struct series_sums *sums)
{
	fprintf(out, ",\"creating\":{\"%s\":%llu", series_phase_name(SERIES_PHASE_OTHER),
		(unsigned long long)sums->phase_ns[SERIES_PHASE_OTHER]);
	for (int phase = 1; phase < N_SERIES_PHASES; phase++)
		if (sums->phase_ns[phase])
			put_count(out, series_phase_name(phase), sums->phase_ns[phase]);
	fputs("}", out);
}

static void put_series(FILE *out, const struct door_in *in, const struct series *series)
{
	const struct series_sums *sums = &series->last;

	put_time(out, in, "series");
	put_labels(out, &series->labels);
	put_count(out, "inferences", sums->runs.n);
	put_count(out, "inference_ns", sums->runs.ns);
	for (int class = 0; class < N_FAILURES; class++)
		if (sums->failed[class])
			fprintf(out, ",\"failed_%s\":%llu", failure_name((enum failure)class),
				(unsigned long long)sums->failed[class]);
	put_count(out, "first_inferences", sums->firsts.n);
	put_count(out, "first_inference_ns", sums->firsts.ns);
	put_count(out, "cpu_ns", sums->cpu_ns);
	put_count(out, "cpu_wait_ns", sums->queued_ns);
	put_count(out, "blocked_ns", sums->blocked_ns);
	put_count(out, "running", series->n_open);
	put_count(out, "sessions", series->n_sessions);
	put_count(out, "created", sums->n_created);
	put_count(out, "not_created", sums->n_not_created);
	put_count(out, "creating_ns", sums->creating_ns);
	if (sums->creating_ns)
		put_phases(out, sums);
	if (series->has_fallback)
		put_count(out, "fallback_nodes", series->n_fallback);
	if (series->generations)
		put_generations(out, &series->generations->last);
	if (series->n_kernels)
		put_kernels(out, series);
	put_histogram(out, "durations", &sums->runs.histogram);
	fputs("}\n", out);
}

static void put_tail(FILE *out, const struct door_in *in, const struct tail_row *row)
{
	const struct tail_run *run = &row->run;
	char why[TAIL_WHY];

	tail_say_why(run, why, sizeof why);
	put_time(out, in, "inference");
	put_labels(out, &run->series->labels);
	put_known(out, "reason", tail_reason_name(row->reason));
	put_count(out, "weight", row->weight);
	put_count(out, "ended_ns", run->realtime_ns);
	put_count(out, "ns", run->ns);
	fprintf(out, ",\"pid\":%d,\"tid\":%d,\"inference\":%llu", (int)run->pid, (int)run->tid,
		(unsigned long long)run->number);
	if (run->cpu_ns >= 0)
		put_count(out, "cpu_ns", (uint64_t)run->cpu_ns);
	if (run->queued_ns >= 0)
		put_count(out, "cpu_wait_ns", (uint64_t)run->queued_ns);
	if (run->major_faults > 0)
		put_count(out, "major_faults", (uint64_t)run->major_faults);
	if (run->read_bytes > 0)
		put_count(out, "read_bytes", (uint64_t)run->read_bytes);
	put_count(out, "at_a_time", run->n_open);
	put_known(out, "trace_id", run->trace);
	put_known(out, "span_id", run->span);
	put_known(out, "status", run->status);
	put_known(out, "why", why);
	if (fleet_recording_of(in->fleet, run))
		put_known(out, "recording", fleet_recording_of(in->fleet, run));
	put_known(out, "operators", *run->operators ? run->operators : "not seen");
	fputs("}\n", out);
}

static void put_device(FILE *out, const struct fleet_device *device)
{
	fputs("{\"device\":", out);
	json_put_text(out, device->kind);
	fputs(",\"device_id\":", out);
	json_put_text(out, device->id);
}

static void put_service(FILE *out, const struct door_in *in, const struct fleet_service *service)
{
	const struct origin_program *origin = &service->origin;

	put_time(out, in, "service");
	put_known(out, "service", origin->service);
	put_known(out, "k8s_namespace", origin->k8s_namespace);
	put_known(out, "k8s_pod", origin->k8s_pod);
	put_known(out, "container", origin->container);
	put_known(out, "service_version", origin->service_version);
	put_count(out, "processes", service->n_processes);
	fprintf(out, ",\"cpu_s\":%.6f,\"resident_bytes\":%.0f", service->last_cpu_s, service->resident_bytes);
	fputs(",\"devices\":[", out);
	for (uint32_t i = 0; i < service->n_uses; i++) {
		fputs(i ? "," : "", out);
		put_device(out, &service->use[i].device);
		fprintf(out, ",\"s\":%.6f,\"bytes\":%.0f}", service->use[i].last_s, service->use[i].bytes);
	}
	fputs("],\"energy\":[", out);
	for (uint32_t i = 0; i < service->n_energies; i++) {
		fputs(i ? "," : "", out);
		put_device(out, &service->energy[i].device);
		fprintf(out, ",\"j\":%.3f}", service->energy[i].last_j);
	}
	fputs("]}\n", out);
}

static bool did_something(const struct series *series)
{
	const struct series_sums *sums = &series->last;

	return sums->runs.n || sums->n_created || sums->n_not_created || series->n_open ||
	       series_had_generations(series);
}

void lines_write(const struct door_in *in, FILE *out)
{
	const struct series_table *table = fleet_series(in->fleet);
	const struct tail *tail = fleet_tail(in->fleet);
	const struct fleet_own *own = fleet_own(in->fleet);

	put_time(out, in, "watch");
	put_known(out, "version", in->own->version);
	put_count(out, "processes", own->n_watched);
	put_count(out, "unseen", own->n_unseen);
	put_count(out, "series", table->n);
	put_count(out, "series_refused", table->n_refused);
	put_count(out, "events_lost", own->n_lost);
	put_count(out, "inferences_skipped", own->n_skipped + own->n_unprobed + own->n_unknown);
	put_count(out, "batches_dropped", metrics_n_dropped(in->own));
	fprintf(out, ",\"cpu_s\":%.6f,\"resident_bytes\":%.0f}\n", in->own->cpu_s, in->own->resident_bytes);
	for (size_t i = 0; i < fleet_n_services(in->fleet); i++)
		put_service(out, in, fleet_service(in->fleet, i));
	for (size_t i = 0; i < table->n; i++)
		if (did_something(table->row[i]))
			put_series(out, in, table->row[i]);
	for (int reason = 0; reason < N_TAIL_REASONS; reason++)
		for (uint32_t i = 0; i < tail->n[reason]; i++)
			put_tail(out, in, &tail->row[reason][i]);
}
