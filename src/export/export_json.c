// SPDX-License-Identifier: Apache-2.0
/* The summary as one JSON object, doc/report-json.md. What is not known is null; fields are only ever added. */
#include "analyze/stats.h"
#include "base/json.h"
#include "export/export.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct writer {
	struct json json;
	const struct summary *summary;
	const struct names *names;
};

static void put_name(struct writer *to, const char *key, uint32_t name)
{
	json_text(&to->json, key, name ? names_text(to->names, name) : NULL);
}

/* -1 is not known. */
static void put_int(struct writer *to, const char *key, int64_t value)
{
	if (value < 0)
		json_null(&to->json, key);
	else
		json_int(&to->json, key, value);
}

static void put_count(struct writer *to, const char *key, uint64_t value)
{
	json_int(&to->json, key, value > INT64_MAX ? INT64_MAX : (int64_t)value);
}

/* A time of the recording; 0 and STORE_OPEN are not known. */
static void put_time(struct writer *to, const char *key, uint64_t time_ns)
{
	uint64_t begin_ns = to->summary->recording.begin_ns;

	if (!time_ns || time_ns == STORE_OPEN || time_ns < begin_ns)
		json_null(&to->json, key);
	else
		put_count(to, key, time_ns - begin_ns);
}

static void put_process(struct writer *to, uint32_t process)
{
	if (process == SUMMARY_NONE)
		json_null(&to->json, "pid");
	else
		json_int(&to->json, "pid", to->summary->processes[process].pid);
}

static void put_spread(struct writer *to, const char *key, const struct summary_spread *spread)
{
	if (!spread->n) {
		json_null(&to->json, key);
		return;
	}
	json_object(&to->json, key);
	put_count(to, "count", spread->n);
	put_count(to, "total_ns", spread->total_ns);
	json_real(&to->json, "mean_ns", spread->mean_ns);
	json_real(&to->json, "mean_interval_95_ns", spread->interval_ns);
	put_count(to, "min_ns", spread->min_ns);
	put_count(to, "p50_ns", spread->p50_ns);
	put_count(to, "p90_ns", spread->p90_ns);
	put_count(to, "p99_ns", spread->p99_ns);
	put_count(to, "max_ns", spread->max_ns);
	json_bool(&to->json, "percentiles_are_exact", spread->is_exact);
	json_end(&to->json, '}');
}

static void put_verdict(struct writer *to)
{
	char *text = NULL;
	size_t size;
	FILE *memory = open_memstream(&text, &size);

	if (memory) {
		export_verdict(memory, to->summary, false);
		fclose(memory);
	}
	json_text(&to->json, "verdict", text);
	free(text);
}

static void put_recording(struct writer *to)
{
	const struct summary *summary = to->summary;
	const struct summary_recording *recording = &summary->recording;
	bool has_events = recording->begin_ns <= recording->end_ns;

	json_object(&to->json, "recording");
	json_bool(&to->json, "is_from_inftrace", recording->is_ours);
	put_name(to, "command", recording->command);
	put_name(to, "level", recording->level);
	json_bool(&to->json, "is_from_outside", recording->is_from_outside);
	put_name(to, "version", recording->version);
	put_name(to, "machine", recording->machine);
	put_int(to, "interval_ns", recording->interval_ns);
	put_int(to, "start_realtime_ns", recording->start_realtime_ns);
	put_int(to, "begin_monotonic_ns", has_events ? (int64_t)recording->begin_ns : -1);
	put_int(to, "duration_ns", has_events ? (int64_t)(recording->end_ns - recording->begin_ns) : -1);
	put_name(to, "clock_source", recording->clock_source);
	put_int(to, "clock_error_ns", recording->clock_error_ns);
	json_text(&to->json, "file", summary->file.path);
	put_count(to, "file_bytes", summary->file.bytes);
	json_bool(&to->json, "file_is_cut", summary->file.is_cut);
	put_int(to, "file_cut_at_byte", summary->file.is_cut ? (int64_t)summary->file.cut_at : -1);
	json_array(&to->json, "stopped");
	for (uint32_t i = 0; i < summary->n_stops; i++) {
		json_object(&to->json, NULL);
		put_name(to, "source", summary->stops[i].source);
		put_name(to, "reason", summary->stops[i].reason);
		put_time(to, "at_ns", summary->stops[i].time_ns);
		json_end(&to->json, '}');
	}
	json_end(&to->json, ']');
	json_end(&to->json, '}');
}

static void put_processes(struct writer *to)
{
	const struct summary *summary = to->summary;

	json_array(&to->json, "processes");
	for (uint32_t i = 0; i < summary->n_processes; i++) {
		const struct summary_process *process = &summary->processes[i];

		json_object(&to->json, NULL);
		json_int(&to->json, "pid", process->pid);
		put_name(to, "name", process->name);
		put_name(to, "exe", process->exe);
		put_name(to, "command", process->command);
		put_name(to, "state", process->state);
		put_int(to, "start_monotonic_ns", process->start_ns ? (int64_t)process->start_ns : -1);
		put_time(to, "exit_at_ns", process->exit_ns);
		put_int(to, "exit_status", process->exit_status);
		put_int(to, "signal", process->signal);
		json_int(&to->json, "sessions", process->n_sessions);
		put_count(to, "inferences", process->n_inferences);
		json_end(&to->json, '}');
	}
	json_end(&to->json, ']');
	json_array(&to->json, "runtimes");
	for (uint32_t i = 0; i < summary->n_runtimes; i++) {
		const struct summary_runtime *runtime = &summary->runtimes[i];

		json_object(&to->json, NULL);
		put_process(to, runtime->process);
		put_name(to, "runtime", runtime->runtime);
		put_name(to, "version", runtime->version);
		put_name(to, "path", runtime->path);
		put_name(to, "seen", runtime->armed);
		put_name(to, "not_seen", runtime->left_out);
		put_int(to, "arm_ns", runtime->arm_ns);
		json_end(&to->json, '}');
	}
	json_end(&to->json, ']');
}

static const char *const phase_keys[N_PHASES] = {
	[PHASE_LOAD] = "load",		 [PHASE_TRANSFORM] = "graph_transformers",
	[PHASE_PARTITION] = "partition", [PHASE_COMPILE] = "compile",
	[PHASE_PREPACK] = "prepack",	 [PHASE_PROVIDER] = "provider_ready",
	[PHASE_OTHER] = "other",	 [PHASE_UNATTRIBUTED] = "unattributed",
};

static void put_phases(struct writer *to, const uint64_t *phase_ns)
{
	char key[48];

	json_object(&to->json, "phases");
	for (int i = 0; i < N_PHASES; i++) {
		snprintf(key, sizeof key, "%s_ns", phase_keys[i]);
		put_count(to, key, phase_ns[i]);
	}
	json_end(&to->json, '}');
}

static void put_creation(struct writer *to, const struct summary_model *model)
{
	const struct summary_creation *creation = &model->creation;
	const struct summary_transformer *transformer = to->summary->transformers + model->transformers.first;

	json_object(&to->json, "creation");
	put_count(to, "sessions", creation->n);
	put_count(to, "recorded", creation->n_recorded);
	put_count(to, "failed", creation->n_failed);
	put_count(to, "not_ended", creation->n_open);
	put_spread(to, "duration", &creation->duration);
	if (creation->duration.n)
		put_phases(to, creation->phase_ns);
	else
		json_null(&to->json, "phases");
	json_object(&to->json, "phase_calls");
	for (int i = 0; i < PHASE_UNATTRIBUTED; i++)
		put_count(to, phase_keys[i], creation->phase_n[i]);
	json_end(&to->json, '}');
	put_count(to, "prepacked_weights", creation->n_prepacked);
	put_count(to, "node_groups_taken", creation->n_capabilities);
	json_array(&to->json, "transformers");
	for (uint32_t i = 0; i < model->transformers.n; i++) {
		json_object(&to->json, NULL);
		put_name(to, "name", transformer[i].name);
		put_count(to, "calls", transformer[i].n);
		put_int(to, "changed", transformer[i].n_told ? (int64_t)transformer[i].n_changed : -1);
		put_count(to, "self_ns", transformer[i].self_ns);
		json_end(&to->json, '}');
	}
	json_end(&to->json, ']');
	json_end(&to->json, '}');
}

static void put_sessions(struct writer *to, const struct summary_model *model)
{
	const struct summary_session *session = to->summary->sessions + model->sessions.first;

	json_array(&to->json, "sessions");
	for (uint32_t i = 0; i < model->sessions.n; i++) {
		bool is_complete = session[i].has_slice && session[i].end_ns != STORE_OPEN;

		json_object(&to->json, NULL);
		put_int(to, "number", session[i].number);
		put_time(to, "created_at_ns", session[i].has_slice ? session[i].begin_ns : 0);
		put_int(to, "creation_ns", is_complete ? (int64_t)(session[i].end_ns - session[i].begin_ns) : -1);
		put_time(to, "released_at_ns", session[i].released_ns);
		json_bool(&to->json, "is_failed", session[i].is_failed);
		put_name(to, "status", session[i].status);
		if (is_complete)
			put_phases(to, session[i].phase_ns);
		else
			json_null(&to->json, "phases");
		put_count(to, "inferences", session[i].n_runs);
		put_count(to, "inferences_failed", session[i].n_runs_failed);
		put_count(to, "inferences_ns", session[i].runs_wall_ns);
		put_spread(to, "latency", &session[i].latency);
		json_end(&to->json, '}');
	}
	json_end(&to->json, ']');
}

static void put_tallies(struct writer *to, const struct summary_model *model, const char *key, enum event_key what)
{
	const struct summary_tally *tally = to->summary->tallies + model->tallies.first;

	json_array(&to->json, key);
	for (uint32_t i = 0; i < model->tallies.n; i++) {
		if (tally[i].key != what)
			continue;
		json_object(&to->json, NULL);
		if (what == KEY_BATCH)
			json_int(&to->json, "batch", tally[i].number);
		else
			put_name(to, "text", tally[i].text);
		put_count(to, "inferences", tally[i].n);
		put_time(to, "first_at_ns", tally[i].first_ns);
		json_end(&to->json, '}');
	}
	json_end(&to->json, ']');
}

static void put_slowest(struct writer *to, const struct summary_model *model)
{
	const struct summary_slow *slow = to->summary->slowest + model->slowest.first;

	json_array(&to->json, "slowest");
	for (uint32_t i = 0; i < model->slowest.n; i++) {
		json_object(&to->json, NULL);
		put_time(to, "at_ns", slow[i].begin_ns);
		put_count(to, "duration_ns", slow[i].duration_ns);
		put_int(to, "session", slow[i].session);
		put_int(to, "id", slow[i].id);
		put_int(to, "inference", slow[i].number);
		put_int(to, "tid", slow[i].tid);
		put_int(to, "run_queue_ns", slow[i].run_queue_ns);
		put_int(to, "thread_cpu_ns", slow[i].thread_cpu_ns);
		put_int(to, "faults", slow[i].faults);
		put_int(to, "switches", slow[i].switches);
		put_int(to, "operators_ns", slow[i].operators_ns);
		put_name(to, "node", slow[i].node);
		put_int(to, "node_ns", slow[i].node ? (int64_t)slow[i].node_ns : -1);
		put_int(to, "node_p50_ns", slow[i].node ? (int64_t)slow[i].node_p50_ns : -1);
		json_bool(&to->json, "during_session_creation", slow[i].is_in_creation);
		json_int(&to->json, "other_inferences_at_the_time", slow[i].n_concurrent);
		json_end(&to->json, '}');
	}
	json_end(&to->json, ']');
}

static void put_usage(struct writer *to, const struct summary_runs *runs)
{
	const char *level = names_text(to->names, to->summary->recording.level);

	if (!runs->n_usage) {
		json_null(&to->json, "usage");
		json_text(&to->json, "usage_missing",
			  to->summary->recording.is_from_outside ? "not seen from outside: use record or attach --inject" :
			  !strcmp(level, "detail")		 ? "no inference has it" :
								   "not recorded: use --level detail");
		return;
	}
	json_object(&to->json, "usage");
	put_count(to, "inferences", runs->n_usage);
	put_count(to, "wall_ns", runs->usage_wall_ns);
	put_count(to, "thread_cpu_ns", runs->thread_cpu_ns);
	put_count(to, "run_queue_ns", runs->run_queue_ns);
	put_count(to, "faults", runs->faults);
	put_count(to, "switches", runs->switches);
	json_end(&to->json, '}');
}

static void put_histogram(struct writer *to, const struct summary_runs *runs)
{
	if (!runs->latency.n) {
		json_null(&to->json, "latency_histogram");
		return;
	}
	json_array(&to->json, "latency_histogram");
	for (size_t i = 0; i < SUMMARY_BUCKETS; i++) {
		json_object(&to->json, NULL);
		json_real(&to->json, "up_to_ns",
			  stats_edge(runs->latency.min_ns, runs->latency.max_ns, SUMMARY_BUCKETS, i + 1));
		put_count(to, "inferences", runs->bucket[i]);
		json_end(&to->json, '}');
	}
	json_end(&to->json, ']');
}

static void put_inferences(struct writer *to, const struct summary_model *model)
{
	const struct summary_runs *runs = &model->runs;

	json_object(&to->json, "inferences");
	put_count(to, "count", runs->n);
	put_count(to, "failed", runs->n_failed);
	put_count(to, "not_ended", runs->n_open);
	put_count(to, "partial", runs->n_partial);
	put_count(to, "first", runs->n_first);
	put_count(to, "without_status", runs->n_without_status);
	put_time(to, "begin_at_ns", runs->n ? runs->begin_ns : 0);
	put_time(to, "end_at_ns", runs->end_ns);
	json_real(&to->json, "per_second", runs->rate);
	put_count(to, "wall_ns", runs->wall_ns);
	put_spread(to, "latency", &runs->latency);
	put_histogram(to, runs);
	put_spread(to, "first_latency", &runs->first);
	json_int(&to->json, "max_concurrent", runs->max_concurrent);
	put_int(to, "threads", runs->n_threads ? (int64_t)runs->n_threads : -1);
	put_usage(to, runs);
	put_tallies(to, model, "shapes", KEY_SHAPES);
	put_tallies(to, model, "batches", KEY_BATCH);
	put_tallies(to, model, "tags", KEY_TAG);
	put_tallies(to, model, "failures", KEY_STATUS);
	put_slowest(to, model);
	json_end(&to->json, '}');
}

static void put_operator(struct writer *to, const struct summary_operator *op, const struct summary_coverage *coverage)
{
	json_object(&to->json, NULL);
	if (op->name)
		put_name(to, "name", op->name);
	put_name(to, "op_type", op->op_type);
	put_name(to, "provider", op->provider);
	put_count(to, "calls", op->n);
	put_count(to, "not_ended", op->n_open);
	put_count(to, "failed", op->n_failed);
	put_count(to, "self_ns", op->self_ns);
	if (coverage) {
		put_count(to, "share_ns", op->share_ns);
		json_real(&to->json, "share",
			  coverage->wall_ns ? (double)op->share_ns / (double)coverage->wall_ns : NAN);
	}
	put_spread(to, "duration", &op->duration);
	json_bool(&to->json, "runs_others", op->has_children);
	put_name(to, "shapes", op->has_more_shapes ? 0 : op->shapes);
	put_int(to, "bytes", op->bytes);
	json_end(&to->json, '}');
}

static const char *why_no_operators(const struct writer *to)
{
	if (!strcmp(names_text(to->names, to->summary->recording.level), "inference"))
		return "not recorded at level inference: use --level operator";
	return to->summary->n_operators ? "no finished inference of this model has any" : "none in this file";
}

static void put_operators(struct writer *to, const struct summary_model *model)
{
	const struct summary_coverage *coverage = &model->coverage;
	const struct summary_provider *ran_on = to->summary->ran_on + model->ran_on.first;

	if (!coverage->n) {
		json_null(&to->json, "operators");
		json_text(&to->json, "operators_missing", why_no_operators(to));
		return;
	}
	json_object(&to->json, "operators");
	put_count(to, "inferences", coverage->n);
	put_count(to, "inferences_with_parallel_operators", coverage->n_parallel);
	put_count(to, "wall_ns", coverage->wall_ns);
	put_count(to, "operators_ns", coverage->operators_ns);
	put_count(to, "operators_p50_ns", coverage->operators_p50_ns);
	put_count(to, "setup_ns", coverage->setup_ns);
	put_count(to, "unattributed_ns", coverage->unattributed_ns);
	json_array(&to->json, "providers");
	for (uint32_t i = 0; i < model->ran_on.n; i++) {
		json_object(&to->json, NULL);
		put_name(to, "provider", ran_on[i].provider);
		put_count(to, "nodes", ran_on[i].n_nodes);
		put_count(to, "calls", ran_on[i].n_calls);
		put_count(to, "share_ns", ran_on[i].share_ns);
		json_end(&to->json, '}');
	}
	json_end(&to->json, ']');
	json_array(&to->json, "types");
	for (uint32_t i = 0; i < model->types.n; i++)
		put_operator(to, &to->summary->types[model->types.first + i], coverage);
	json_end(&to->json, ']');
	json_array(&to->json, "nodes");
	for (uint32_t i = 0; i < model->nodes.n; i++)
		put_operator(to, &to->summary->nodes[model->nodes.first + i], coverage);
	json_end(&to->json, ']');
	json_end(&to->json, '}');
}

static void put_idle(struct writer *to, const struct summary_model *model)
{
	const struct summary_idle *idle = to->summary->idle + model->idle.first;
	const char *all = names_text(to->names, model->providers);
	char *name;

	if (!model->ran_on.n) {
		json_null(&to->json, "providers_that_ran_nothing");
		return;
	}
	json_array(&to->json, "providers_that_ran_nothing");
	for (uint32_t i = 0; i < model->idle.n; i++) {
		name = strndup(all + idle[i].at, idle[i].len);
		json_text(&to->json, NULL, name);
		free(name);
	}
	json_end(&to->json, ']');
}

static void put_models(struct writer *to)
{
	json_array(&to->json, "models");
	for (uint32_t i = 0; i < to->summary->n_models; i++) {
		const struct summary_model *model = &to->summary->models[i];

		json_object(&to->json, NULL);
		put_name(to, "name", model->name);
		put_process(to, model->process);
		put_name(to, "path", model->path);
		put_int(to, "bytes", model->bytes);
		put_name(to, "providers_asked_for", model->providers);
		put_idle(to, model);
		put_name(to, "options", model->options);
		put_creation(to, model);
		put_sessions(to, model);
		put_inferences(to, model);
		put_operators(to, model);
		json_end(&to->json, '}');
	}
	json_end(&to->json, ']');
}

static void put_elsewhere(struct writer *to)
{
	static const char *const places[N_WHERE] = {
		[WHERE_INFERENCE] = "inference",
		[WHERE_APART] = "first_or_failed_inference",
		[WHERE_UNFINISHED] = "unfinished_inference",
		[WHERE_UNKNOWN] = "unknown_inference",
		[WHERE_CREATION] = "session_creation",
		[WHERE_OUTSIDE] = "outside",
	};

	json_array(&to->json, "operators_elsewhere");
	for (uint32_t i = 0; i < to->summary->n_elsewhere; i++) {
		const struct summary_operator *op = &to->summary->elsewhere[i];

		json_object(&to->json, NULL);
		put_process(to, op->process);
		json_text(&to->json, "where", places[op->where]);
		put_name(to, "op_type", op->op_type);
		put_name(to, "provider", op->provider);
		put_count(to, "calls", op->n);
		put_count(to, "not_ended", op->n_open);
		put_count(to, "self_ns", op->self_ns);
		json_end(&to->json, '}');
	}
	json_end(&to->json, ']');
}

/* "gpu card1: amdgpu" in two. */
static void put_device(struct writer *to, uint32_t name)
{
	const char *text = names_text(store_names(to->summary->store), name), *colon = strstr(text, ": ");
	char device[80];

	snprintf(device, sizeof device, "%.*s", (int)strcspn(text, ":"), text);
	json_text(&to->json, "device", name ? device : NULL);
	json_text(&to->json, "device_description", colon ? colon + 2 : NULL);
}

static void put_resources(struct writer *to)
{
	json_array(&to->json, "resources");
	for (uint32_t i = 0; i < to->summary->n_resources; i++) {
		const struct summary_resource *resource = &to->summary->resources[i];

		json_object(&to->json, NULL);
		put_process(to, resource->process);
		json_text(&to->json, "scope",
			  resource->process != SUMMARY_NONE ? "process" : resource->device ? "device" : "machine");
		put_device(to, resource->device);
		put_name(to, "name", resource->name);
		put_name(to, "unit", resource->unit);
		put_count(to, "samples", resource->n);
		json_real(&to->json, "mean", resource->mean);
		json_real(&to->json, "min", resource->min);
		json_real(&to->json, "max", resource->max);
		json_real(&to->json, "last", resource->last);
		put_count(to, "with_inferences_ns", resource->busy_ns);
		json_real(&to->json, "with_inferences_mean", resource->busy_mean);
		json_real(&to->json, "with_inferences_max", resource->busy_max);
		put_count(to, "without_inferences_ns", resource->idle_ns);
		json_real(&to->json, "without_inferences_mean", resource->idle_mean);
		json_real(&to->json, "without_inferences_max", resource->idle_max);
		json_end(&to->json, '}');
	}
	json_end(&to->json, ']');
	json_array(&to->json, "unreadable");
	for (uint32_t i = 0; i < to->summary->n_unreadable; i++) {
		json_object(&to->json, NULL);
		put_process(to, to->summary->unreadable[i].process);
		put_name(to, "path", to->summary->unreadable[i].path);
		put_name(to, "reason", to->summary->unreadable[i].reason);
		json_end(&to->json, '}');
	}
	json_end(&to->json, ']');
	json_array(&to->json, "left_out");
	for (uint32_t i = 0; i < to->summary->n_left_out; i++) {
		json_object(&to->json, NULL);
		put_process(to, to->summary->left_out[i].process);
		put_count(to, "count", to->summary->left_out[i].n);
		put_name(to, "what", to->summary->left_out[i].what);
		json_end(&to->json, '}');
	}
	json_end(&to->json, ']');
}

static void put_losses(struct writer *to)
{
	const struct summary *summary = to->summary;
	const struct store_counts *counts = store_counts(summary->store);

	json_object(&to->json, "losses");
	put_int(to, "lost_events", summary->recording.is_ours || summary->n_lost ? (int64_t)summary->n_lost : -1);
	json_array(&to->json, "lost");
	for (uint32_t i = 0; i < summary->n_losses; i++) {
		json_object(&to->json, NULL);
		put_process(to, summary->losses[i].process);
		put_name(to, "where", summary->losses[i].where);
		put_count(to, "events", summary->losses[i].n);
		put_time(to, "first_at_ns", summary->losses[i].first_ns);
		put_time(to, "last_at_ns", summary->losses[i].last_ns);
		json_end(&to->json, '}');
	}
	json_end(&to->json, ']');
	json_object(&to->json, "slices_not_ended");
	for (int kind = 0; kind < N_KINDS; kind++)
		if (summary->n_open[kind])
			put_count(to, kind == KIND_NONE ? "other" : event_kind_name(kind), summary->n_open[kind]);
	json_end(&to->json, '}');
	put_count(to, "events_out_of_order", counts->n_disordered);
	put_count(to, "events_moved_later", summary->file.n_late);
	put_count(to, "ends_without_begin", counts->n_unmatched);
	put_count(to, "events_without_track", counts->n_untracked);
	put_count(to, "slices_too_deep", counts->n_too_deep);
	json_end(&to->json, '}');
}

static void put_cost(struct writer *to)
{
	const struct summary_cost *cost = &to->summary->cost;

	if (!cost->is_known) {
		json_null(&to->json, "cost");
		return;
	}
	json_object(&to->json, "cost");
	put_int(to, "events", cost->events);
	json_real(&to->json, "event_ns", cost->event_ns);
	put_int(to, "arm_ns", cost->arm_ns);
	put_int(to, "recorder_cpu_ns", cost->recorder_cpu_ns);
	put_int(to, "recorder_peak_bytes", cost->recorder_peak_bytes);
	put_int(to, "lost_events", cost->lost);
	json_end(&to->json, '}');
}

void export_json(FILE *out, const struct summary *summary)
{
	struct writer to = { .summary = summary, .names = store_names(summary->store) };

	json_init(&to.json, out);
	json_object(&to.json, NULL);
	put_verdict(&to);
	put_recording(&to);
	put_processes(&to);
	put_models(&to);
	put_elsewhere(&to);
	put_resources(&to);
	put_losses(&to);
	put_cost(&to);
	json_end(&to.json, '}');
	json_done(&to.json);
}
