// SPDX-License-Identifier: Apache-2.0
/* The table of metrics. doc/watch.md lists the same; a test compares the two. */
#include "fleet/door/metrics.h"

#include <stdio.h>
#include <string.h>

typedef void metric_visit(void *ctx, const struct metric_point *point);

static void label(struct metric_point *point, const char *name, const char *value)
{
	if (*value && point->n_labels < METRIC_LABELS)
		point->label[point->n_labels++] = (struct metric_label){ name, value };
}

static void label_series(struct metric_point *point, const struct series_labels *labels)
{
	label(point, "service", labels->service);
	label(point, "k8s_namespace", labels->k8s_namespace);
	label(point, "k8s_pod", labels->k8s_pod);
	label(point, "container", labels->container);
	label(point, "service_version", labels->service_version);
	label(point, "model", labels->model);
	label(point, "runtime", labels->runtime);
	label(point, "runtime_version", labels->runtime_version);
	label(point, "provider", labels->provider);
	label(point, "device", labels->device);
}

static void label_service(struct metric_point *point, const struct origin_program *origin)
{
	label(point, "service", origin->service);
	label(point, "k8s_namespace", origin->k8s_namespace);
	label(point, "k8s_pod", origin->k8s_pod);
	label(point, "container", origin->container);
	label(point, "service_version", origin->service_version);
}

static void each_runs(const struct metric *metric, const struct fleet *fleet, const struct metrics_own *own,
		      metric_visit *visit, void *ctx)
{
	const struct series_table *table = fleet_series(fleet);

	for (size_t i = 0; i < table->n; i++) {
		struct metric_point point = { .times = &table->row[i]->all.runs, .example = &table->row[i]->slowest };

		label_series(&point, &table->row[i]->labels);
		visit(ctx, &point);
	}
}

/* Where no first inference was seen there is no point. */
static void each_firsts(const struct metric *metric, const struct fleet *fleet, const struct metrics_own *own,
			metric_visit *visit, void *ctx)
{
	const struct series_table *table = fleet_series(fleet);

	for (size_t i = 0; i < table->n; i++) {
		struct metric_point point = { .times = &table->row[i]->all.firsts };

		label_series(&point, &table->row[i]->labels);
		if (point.times->n)
			visit(ctx, &point);
	}
}

static void each_series(const struct metric *metric, const struct fleet *fleet, const struct metrics_own *own,
			metric_visit *visit, void *ctx)
{
	const struct series_table *table = fleet_series(fleet);

	for (size_t i = 0; i < table->n; i++) {
		struct metric_point point = { .value = metric->of_series(table->row[i]) };

		label_series(&point, &table->row[i]->labels);
		visit(ctx, &point);
	}
}

static void each_failure(const struct metric *metric, const struct fleet *fleet, const struct metrics_own *own,
			 metric_visit *visit, void *ctx)
{
	const struct series_table *table = fleet_series(fleet);

	for (size_t i = 0; i < table->n; i++)
		for (int class = 0; class < N_FAILURES; class++) {
			struct metric_point point = { .value = (double)table->row[i]->all.failed[class] };

			label_series(&point, &table->row[i]->labels);
			label(&point, "error", failure_name((enum failure)class));
			/* "other" always has a point, so that a rate of failures is 0 before the first one */
			if (point.value > 0 || class == FAILURE_OTHER)
				visit(ctx, &point);
		}
}

static void each_wait(const struct metric *metric, const struct fleet *fleet, const struct metrics_own *own,
		      metric_visit *visit, void *ctx)
{
	const struct series_table *table = fleet_series(fleet);

	for (size_t i = 0; i < table->n; i++)
		for (int is_cpu = 0; is_cpu < 2; is_cpu++) {
			const struct series_sums *sums = &table->row[i]->all;
			struct metric_point point = { .value =
							  (double)(is_cpu ? sums->queued_ns : sums->blocked_ns) / 1e9 };

			label_series(&point, &table->row[i]->labels);
			label(&point, "reason", is_cpu ? "cpu" : "blocked");
			visit(ctx, &point);
		}
}

static void each_operator(const struct metric *metric, const struct fleet *fleet, const struct metrics_own *own,
			  metric_visit *visit, void *ctx)
{
	const struct series_table *table = fleet_series(fleet);

	for (size_t i = 0; i < table->n; i++)
		for (size_t at = 0; at < table->row[i]->n_operators; at++) {
			const struct series_operator *row = &table->row[i]->operator[at];
			struct metric_point point = { .value = (double)row->all_ns / 1e9 };

			label_series(&point, &table->row[i]->labels);
			label(&point, "op_type", row->type);
			label(&point, "ran_on", row->provider);
			visit(ctx, &point);
		}
}

static void each_kernel(const struct metric *metric, const struct fleet *fleet, const struct metrics_own *own,
			metric_visit *visit, void *ctx)
{
	const struct series_table *table = fleet_series(fleet);

	for (size_t i = 0; i < table->n; i++)
		for (size_t at = 0; at < table->row[i]->n_kernels; at++) {
			const struct series_operator *row = &table->row[i]->kernel[at];
			struct metric_point point = { .value = (double)row->all_ns / 1e9 };

			label_series(&point, &table->row[i]->labels);
			label(&point, "kind", row->type);
			visit(ctx, &point);
		}
}

/* Where no operators were seen, or no provider was asked for, there is no point. */
static void each_fallback(const struct metric *metric, const struct fleet *fleet, const struct metrics_own *own,
			  metric_visit *visit, void *ctx)
{
	const struct series_table *table = fleet_series(fleet);

	for (size_t i = 0; i < table->n; i++) {
		struct metric_point point = { .value = (double)table->row[i]->n_fallback };

		label_series(&point, &table->row[i]->labels);
		if (table->row[i]->has_fallback)
			visit(ctx, &point);
	}
}

/* What the conventions of OpenTelemetry for generative models want of their metrics (gen_ai.*, 2026-11). */
static void label_gen_ai(struct metric_point *point, const struct series_labels *labels)
{
	label(point, "gen_ai.operation.name", "text_completion");
	label(point, "gen_ai.provider.name", *labels->runtime ? labels->runtime : "_OTHER");
	label(point, "gen_ai.request.model", labels->model);
}

/* Where no generation was seen there is no point. */
static void each_generation(const struct metric *metric, const struct fleet *fleet, const struct metrics_own *own,
			    metric_visit *visit, void *ctx)
{
	const struct series_table *table = fleet_series(fleet);

	for (size_t i = 0; i < table->n; i++) {
		const struct series *series = table->row[i];
		struct metric_point point = { 0 };

		if (!series->generations || !series->generations->all.times[metric->time].n)
			continue;
		point.times = &series->generations->all.times[metric->time];
		label_series(&point, &series->labels);
		if (!strncmp(metric->name, "gen_ai.", 7))
			label_gen_ai(&point, &series->labels);
		visit(ctx, &point);
	}
}

static void each_token(const struct metric *metric, const struct fleet *fleet, const struct metrics_own *own,
		       metric_visit *visit, void *ctx)
{
	const struct series_table *table = fleet_series(fleet);

	for (size_t i = 0; i < table->n; i++)
		for (int is_output = 0; is_output < 2 && table->row[i]->generations; is_output++) {
			const struct series_tokens *all = &table->row[i]->generations->all;
			struct metric_point point = { .value = (double)(is_output ? all->n_out : all->n_in) };

			label_series(&point, &table->row[i]->labels);
			label(&point, "type", is_output ? "output" : "input");
			visit(ctx, &point);
		}
}

static void each_creation(const struct metric *metric, const struct fleet *fleet, const struct metrics_own *own,
			  metric_visit *visit, void *ctx)
{
	const struct series_table *table = fleet_series(fleet);

	for (size_t i = 0; i < table->n; i++)
		for (int is_failed = 0; is_failed < 2; is_failed++) {
			const struct series_sums *sums = &table->row[i]->all;
			struct metric_point point = { .value =
							  (double)(is_failed ? sums->n_not_created : sums->n_created) };

			label_series(&point, &table->row[i]->labels);
			label(&point, "outcome", is_failed ? "failed" : "ok");
			visit(ctx, &point);
		}
}

static void each_phase(const struct metric *metric, const struct fleet *fleet, const struct metrics_own *own,
		       metric_visit *visit, void *ctx)
{
	const struct series_table *table = fleet_series(fleet);

	for (size_t i = 0; i < table->n; i++)
		for (int phase = 0; phase < N_SERIES_PHASES; phase++) {
			uint64_t ns = table->row[i]->all.phase_ns[phase];
			struct metric_point point = { .value = (double)ns / 1e9 };

			if (!ns && phase != SERIES_PHASE_OTHER)
				continue;
			label_series(&point, &table->row[i]->labels);
			label(&point, "phase", series_phase_name(phase));
			visit(ctx, &point);
		}
}

enum service_value { SERVICE_CPU, SERVICE_RESIDENT, SERVICE_PROCESSES };

static void each_service(const struct fleet *fleet, enum service_value which, metric_visit *visit, void *ctx)
{
	for (size_t i = 0; i < fleet_n_services(fleet); i++) {
		const struct fleet_service *service = fleet_service(fleet, i);
		struct metric_point point = { .value = which == SERVICE_CPU	   ? service->cpu_s
						       : which == SERVICE_RESIDENT ? service->resident_bytes
										   : service->n_processes };

		label_service(&point, &service->origin);
		visit(ctx, &point);
	}
}

static void each_cpu(const struct metric *metric, const struct fleet *fleet, const struct metrics_own *own,
		     metric_visit *visit, void *ctx)
{
	each_service(fleet, SERVICE_CPU, visit, ctx);
}

static void each_resident(const struct metric *metric, const struct fleet *fleet, const struct metrics_own *own,
			  metric_visit *visit, void *ctx)
{
	each_service(fleet, SERVICE_RESIDENT, visit, ctx);
}

static void each_processes(const struct metric *metric, const struct fleet *fleet, const struct metrics_own *own,
			   metric_visit *visit, void *ctx)
{
	each_service(fleet, SERVICE_PROCESSES, visit, ctx);
}

static void each_use(const struct fleet *fleet, bool is_memory, metric_visit *visit, void *ctx)
{
	for (size_t i = 0; i < fleet_n_services(fleet); i++) {
		const struct fleet_service *service = fleet_service(fleet, i);

		for (uint32_t at = 0; at < service->n_uses; at++) {
			const struct fleet_use *use = &service->use[at];
			struct metric_point point = { .value = is_memory ? use->bytes : use->s };

			label_service(&point, &service->origin);
			label(&point, "device", use->device.kind);
			label(&point, "device_id", use->device.id);
			visit(ctx, &point);
		}
	}
}

static void each_device_time(const struct metric *metric, const struct fleet *fleet, const struct metrics_own *own,
			     metric_visit *visit, void *ctx)
{
	each_use(fleet, false, visit, ctx);
}

static void each_device_memory(const struct metric *metric, const struct fleet *fleet, const struct metrics_own *own,
			       metric_visit *visit, void *ctx)
{
	each_use(fleet, true, visit, ctx);
}

static void each_energy(const struct metric *metric, const struct fleet *fleet, const struct metrics_own *own,
			metric_visit *visit, void *ctx)
{
	for (size_t i = 0; i < fleet_n_services(fleet); i++) {
		const struct fleet_service *service = fleet_service(fleet, i);

		for (uint32_t at = 0; at < service->n_energies; at++) {
			struct metric_point point = { .value = service->energy[at].j };

			label_service(&point, &service->origin);
			label(&point, "device", service->energy[at].device.kind);
			label(&point, "device_id", service->energy[at].device.id);
			visit(ctx, &point);
		}
	}
}

/* Points of the watcher itself: one value, with one label at most. */
static void put(metric_visit *visit, void *ctx, const char *name, const char *value, double number)
{
	struct metric_point point = { .value = number };

	if (name)
		label(&point, name, value);
	visit(ctx, &point);
}

static void each_build(const struct metric *metric, const struct fleet *fleet, const struct metrics_own *own,
		       metric_visit *visit, void *ctx)
{
	struct metric_point point = { .value = 1 };

	label(&point, "version", own->version);
	label(&point, "host", own->host.name);
	label(&point, "boot", own->host.boot);
	label(&point, "machine", own->host.machine);
	visit(ctx, &point);
}

static void each_skipped(const struct metric *metric, const struct fleet *fleet, const struct metrics_own *own,
			 metric_visit *visit, void *ctx)
{
	put(visit, ctx, "reason", "rate", (double)fleet_own(fleet)->n_skipped);
	put(visit, ctx, "reason", "unprobed", (double)fleet_own(fleet)->n_unprobed);
	put(visit, ctx, "reason", "unknown", (double)fleet_own(fleet)->n_unknown);
}

static void each_lost(const struct metric *metric, const struct fleet *fleet, const struct metrics_own *own,
		      metric_visit *visit, void *ctx)
{
	put(visit, ctx, NULL, NULL, (double)fleet_own(fleet)->n_lost);
}

static void each_table(const struct metric *metric, const struct fleet *fleet, const struct metrics_own *own,
		       metric_visit *visit, void *ctx)
{
	put(visit, ctx, NULL, NULL, (double)fleet_series(fleet)->n);
}

static void each_refused(const struct metric *metric, const struct fleet *fleet, const struct metrics_own *own,
			 metric_visit *visit, void *ctx)
{
	put(visit, ctx, NULL, NULL, (double)fleet_series(fleet)->n_refused);
}

static void each_left_out(const struct metric *metric, const struct fleet *fleet, const struct metrics_own *own,
			  metric_visit *visit, void *ctx)
{
	put(visit, ctx, NULL, NULL, (double)fleet_own(fleet)->n_processes_refused);
}

static void each_watched(const struct metric *metric, const struct fleet *fleet, const struct metrics_own *own,
			 metric_visit *visit, void *ctx)
{
	put(visit, ctx, "state", "watched", fleet_own(fleet)->n_watched);
	put(visit, ctx, "state", "unseen", fleet_own(fleet)->n_unseen);
}

static void each_level(const struct metric *metric, const struct fleet *fleet, const struct metrics_own *own,
		       metric_visit *visit, void *ctx)
{
	for (int i = 0; i < N_FLEET_LEVELS; i++)
		put(visit, ctx, "seen", fleet_level_name((enum fleet_level)i), fleet_own(fleet)->n_at[i]);
}

static void each_own_cpu(const struct metric *metric, const struct fleet *fleet, const struct metrics_own *own,
			 metric_visit *visit, void *ctx)
{
	put(visit, ctx, NULL, NULL, own->cpu_s);
}

static void each_own_resident(const struct metric *metric, const struct fleet *fleet, const struct metrics_own *own,
			      metric_visit *visit, void *ctx)
{
	put(visit, ctx, NULL, NULL, own->resident_bytes);
}

static void each_batch(const struct metric *metric, const struct fleet *fleet, const struct metrics_own *own,
		       metric_visit *visit, void *ctx)
{
	static const char *const outcomes[] = { "sent", "dropped" };

	for (size_t i = 0; i < own->n_doors; i++)
		for (int is_dropped = 0; is_dropped < 2; is_dropped++) {
			const struct metrics_door *door = &own->door[i];
			struct metric_point point = { .value = (double)(is_dropped ? door->n_dropped : door->n_sent) };

			label(&point, "door", door->name);
			label(&point, "outcome", outcomes[is_dropped]);
			visit(ctx, &point);
		}
}

static void each_waiting(const struct metric *metric, const struct fleet *fleet, const struct metrics_own *own,
			 metric_visit *visit, void *ctx)
{
	for (size_t i = 0; i < own->n_doors; i++)
		if (own->door[i].has_spool)
			put(visit, ctx, "door", own->door[i].name, (double)own->door[i].n_waiting);
}

static void each_spool(const struct metric *metric, const struct fleet *fleet, const struct metrics_own *own,
		       metric_visit *visit, void *ctx)
{
	for (size_t i = 0; i < own->n_doors; i++)
		if (own->door[i].has_spool)
			put(visit, ctx, "door", own->door[i].name, (double)own->door[i].spool_bytes);
}

uint64_t metrics_n_dropped(const struct metrics_own *own)
{
	uint64_t n = 0;

	for (size_t i = 0; i < own->n_doors; i++)
		n += own->door[i].n_dropped;
	return n;
}

static double n_running(const struct series *series)
{
	return (double)series->n_open;
}

static double n_sessions(const struct series *series)
{
	return (double)series->n_sessions;
}

static double cpu_s(const struct series *series)
{
	return (double)series->all.cpu_ns / 1e9;
}

const struct metric metrics[] = {
	{ "inftrace.inference.duration", "s", "Time from the call of an inference to its return.", METRIC_HISTOGRAM,
	  .each = each_runs },
	{ "inftrace.inference.failures", "{inference}", "Inferences that failed.", METRIC_COUNTER,
	  .each = each_failure },
	{ "inftrace.inference.running", "{inference}", "Inferences that run now.", METRIC_GAUGE, .each = each_series,
	  .of_series = n_running },
	{ "inftrace.inference.cpu", "s", "CPU time of the calling threads in inferences.", METRIC_COUNTER,
	  .each = each_series, .of_series = cpu_s },
	{ "inftrace.inference.wait", "s", "Time of the calling threads in inferences without a CPU.", METRIC_COUNTER,
	  .each = each_wait },
	{ "inftrace.first_inference.duration", "s", "Duration of the first inference of each session.",
	  METRIC_HISTOGRAM, .each = each_firsts },
	{ "inftrace.operator", "s", "Time of operators by type, and by the provider that ran them.", METRIC_COUNTER,
	  .each = each_operator },
	{ "inftrace.fallback_nodes", "{operator}",
	  "Operators of an inference that ran elsewhere than on the provider asked for.", METRIC_GAUGE,
	  .each = each_fallback },
	{ "inftrace.kernel", "s", "Time of kernels and copies of devices, by kind.", METRIC_COUNTER,
	  .each = each_kernel },
	{ "gen_ai.server.request.duration", "s", "Time from the begin of a prompt to the last token.", METRIC_HISTOGRAM,
	  .each = each_generation, .time = SERIES_GENERATION },
	{ "gen_ai.server.time_to_first_token", "s", "Time from the begin of a prompt to the first token.",
	  METRIC_HISTOGRAM, .each = each_generation, .time = SERIES_FIRST_TOKEN },
	{ "gen_ai.server.time_per_output_token", "s", "Mean time of the tokens of a generation behind the first one.",
	  METRIC_HISTOGRAM, .each = each_generation, .time = SERIES_PER_TOKEN },
	{ "inftrace.generation.token", "s", "Time from one token of a generation to the next one.", METRIC_HISTOGRAM,
	  .each = each_generation, .time = SERIES_BETWEEN_TOKENS },
	{ "inftrace.generation.tokens", "{token}", "Tokens of prompts, and tokens that were made.", METRIC_COUNTER,
	  .each = each_token },
	{ "inftrace.session_creation", "s", "Time that creating sessions took, by phase.", METRIC_COUNTER,
	  .each = each_phase },
	{ "inftrace.session_creations", "{session}", "Sessions that were created, or were not.", METRIC_COUNTER,
	  .each = each_creation },
	{ "inftrace.sessions", "{session}", "Sessions that exist.", METRIC_GAUGE, .each = each_series,
	  .of_series = n_sessions },
	{ "inftrace.process.cpu", "s", "CPU time of the programs that run models.", METRIC_COUNTER, .each = each_cpu },
	{ "inftrace.process.resident", "By", "Resident memory of the programs that run models.", METRIC_GAUGE,
	  .each = each_resident },
	{ "inftrace.processes", "{process}", "Programs that run models.", METRIC_GAUGE, .each = each_processes },
	{ "inftrace.device", "s", "Time that a device worked for the programs.", METRIC_COUNTER,
	  .each = each_device_time },
	{ "inftrace.device.memory", "By", "Memory of a device that the programs hold.", METRIC_GAUGE,
	  .each = each_device_memory },
	{ "inftrace.energy", "J",
	  "Energy of the machine, by the share of its CPU time that the programs had: an estimate.", METRIC_COUNTER,
	  .each = each_energy },
	{ "inftrace.build.info", "", "The version of inftrace, and the machine.", METRIC_GAUGE, .is_info = true,
	  .each = each_build },
	{ "inftrace.watch.inferences_skipped", "{inference}", "Inferences that were left out, and why.", METRIC_COUNTER,
	  .each = each_skipped },
	{ "inftrace.watch.events_lost", "{event}", "Events that were lost.", METRIC_COUNTER, .each = each_lost },
	{ "inftrace.watch.series", "{series}", "Series that are kept.", METRIC_GAUGE, .each = each_table },
	{ "inftrace.watch.series_refused", "{series}", "Series that found no room and are in the series other.",
	  METRIC_COUNTER, .each = each_refused },
	{ "inftrace.watch.processes", "{process}", "Processes with a runtime: watched, or not seen into.", METRIC_GAUGE,
	  .each = each_watched },
	{ "inftrace.watch.processes_refused", "{process}", "Processes that found no room and are in no series.",
	  METRIC_COUNTER, .each = each_left_out },
	{ "inftrace.watch.levels", "{process}", "Processes that are watched, by what is seen of them.", METRIC_GAUGE,
	  .each = each_level },
	{ "inftrace.watch.cpu", "s", "CPU time of inftrace itself.", METRIC_COUNTER, .each = each_own_cpu },
	{ "inftrace.watch.resident", "By", "Resident memory of inftrace itself.", METRIC_GAUGE,
	  .each = each_own_resident },
	{ "inftrace.watch.batches", "{batch}", "Batches that left through a door, or were dropped.", METRIC_COUNTER,
	  .each = each_batch },
	{ "inftrace.watch.batches_waiting", "{batch}", "Batches that wait until a door takes them.", METRIC_GAUGE,
	  .each = each_waiting },
	{ "inftrace.watch.spool", "By", "Size of the batches that wait.", METRIC_GAUGE, .each = each_spool },
};

const size_t n_metrics = sizeof metrics / sizeof *metrics;

static const char *unit_word(const struct metric *metric)
{
	static const struct {
		const char *unit, *word;
	} words[] = { { "s", "_seconds" }, { "By", "_bytes" }, { "J", "_joules" } };

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!strcmp(metric->unit, words[i].unit))
			return words[i].word;
	return "";
}

static void without_dots(char *name)
{
	for (char *at = name; *at; at++)
		if (*at == '.')
			*at = '_';
}

void metric_prometheus_name(const struct metric *metric, char *name, size_t size)
{
	snprintf(name, size, "%s%s%s", metric->name, unit_word(metric), metric->type == METRIC_COUNTER ? "_total" : "");
	without_dots(name);
}

void metric_prometheus_label(const struct metric_label *label, char *name, size_t size)
{
	snprintf(name, size, "%s", label->name);
	without_dots(name);
}
