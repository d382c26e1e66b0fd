// SPDX-License-Identifier: Apache-2.0
/* What is told of each model: its creation, its sessions, its inferences, its operators. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/result/phase_names.h"
#include "analyze/result/recording_workers.h"
#include "analyze/stats/stats.h"
#include "base/text/provider.h"
#include "show/json/json_in.h"
#include "show/words/slow_words.h"
#include "show/words/usage_words.h"

static void put_phases(struct json_summary *to, const uint64_t *phase_ns)
{
	char key[48];

	json_object(&to->json, "phases");
	for (int i = 0; i < N_PHASES; i++) {
		snprintf(key, sizeof key, "%s_ns", phase_names[i].key);
		json_count(&to->json, key, phase_ns[i]);
	}
	json_end(&to->json, '}');
}

static void put_creation(struct json_summary *to, const struct summary_model *model)
{
	const struct summary_creation *creation = &model->creation;
	const struct summary_transformer *transformer = to->summary->transformers + model->transformers.first;

	json_object(&to->json, "creation");
	json_count(&to->json, "sessions", creation->n);
	json_count(&to->json, "recorded", creation->n_recorded);
	json_count(&to->json, "failed", creation->n_failed);
	json_count(&to->json, "not_ended", creation->n_open);
	json_summary_spread(to, "duration", &creation->duration);
	if (creation->duration.n)
		put_phases(to, creation->phase_ns);
	else
		json_null(&to->json, "phases");
	json_object(&to->json, "phase_calls");
	for (int i = 0; i < PHASE_UNATTRIBUTED; i++)
		json_count(&to->json, phase_names[i].key, creation->phase_n[i]);
	json_end(&to->json, '}');
	json_count(&to->json, "prepacked_weights", creation->n_prepacked);
	json_count(&to->json, "node_groups_taken", creation->n_capabilities);
	json_count(&to->json, "planner_lookups", creation->n_compared);
	json_count(&to->json, "pool_threads", creation->n_pool);
	json_count(&to->json, "pool_cpu_ns", creation->pool_cpu_ns);
	json_array(&to->json, "transformers");
	for (uint32_t i = 0; i < model->transformers.n; i++) {
		json_object(&to->json, NULL);
		json_summary_name(to, "name", transformer[i].name);
		json_count(&to->json, "calls", transformer[i].n);
		json_known(&to->json, "changed", transformer[i].n_told ? (int64_t)transformer[i].n_changed : -1);
		json_count(&to->json, "self_ns", transformer[i].self_ns);
		json_end(&to->json, '}');
	}
	json_end(&to->json, ']');
	json_end(&to->json, '}');
}

static void put_sessions(struct json_summary *to, const struct summary_model *model)
{
	const struct summary_session *session = to->summary->sessions + model->sessions.first;

	json_array(&to->json, "sessions");
	for (uint32_t i = 0; i < model->sessions.n; i++) {
		bool is_complete = session[i].has_slice && session[i].end_ns != STORE_OPEN;

		json_object(&to->json, NULL);
		json_known(&to->json, "number", session[i].number);
		json_summary_time(to, "created_at_ns", session[i].has_slice ? session[i].begin_ns : 0);
		json_known(&to->json, "creation_ns",
			   is_complete ? (int64_t)(session[i].end_ns - session[i].begin_ns) : -1);
		json_known(&to->json, "created_in_pid",
			   session[i].made_in == SUMMARY_NONE ? -1 : to->summary->processes[session[i].made_in].pid);
		json_summary_time(to, "released_at_ns", session[i].released_ns);
		json_bool(&to->json, "is_failed", session[i].is_failed);
		json_summary_name(to, "status", session[i].status);
		json_summary_name(to, "caller", session[i].caller);
		if (is_complete)
			put_phases(to, session[i].phase_ns);
		else
			json_null(&to->json, "phases");
		json_count(&to->json, "inferences", session[i].n_runs);
		json_count(&to->json, "inferences_failed", session[i].n_runs_failed);
		json_count(&to->json, "inferences_ns", session[i].runs_wall_ns);
		json_summary_spread(to, "latency", &session[i].latency);
		json_end(&to->json, '}');
	}
	json_end(&to->json, ']');
}

static void put_tallies(struct json_summary *to, const struct summary_model *model, const char *key,
			enum event_key what)
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
			json_summary_name(to, "text", tally[i].text);
		json_count(&to->json, "inferences", tally[i].n);
		json_summary_time(to, "first_at_ns", tally[i].first_ns);
		json_end(&to->json, '}');
	}
	json_end(&to->json, ']');
}

static void put_usual(struct json_summary *to, const struct summary_usual *usual)
{
	json_object(&to->json, "usual");
	json_count(&to->json, "inferences", usual->n);
	json_bool(&to->json, "is_of_its_shape", usual->is_of_shape);
	json_bool(&to->json, "is_of_its_size", usual->is_of_size);
	json_count(&to->json, "p50_ns", usual->p50_ns);
	json_known(&to->json, "run_queue_p50_ns", usual->run_queue_ns);
	json_known(&to->json, "thread_cpu_p50_ns", usual->thread_cpu_ns);
	json_known(&to->json, "faults_p50", usual->faults);
	json_known(&to->json, "overlap_p50_ns", usual->overlap_ns);
	json_end(&to->json, '}');
}

/* The parts, in whole nanoseconds, and the rest add up to the excess. */
static void put_parts(struct json_summary *to, const struct why *why)
{
	int64_t left_ns = (int64_t)why->excess_ns;

	json_array(&to->json, "parts");
	for (uint32_t i = 0; i < why->n; i++) {
		json_object(&to->json, NULL);
		json_text(&to->json, "cause", why->part[i].cause);
		json_int(&to->json, "ns", (int64_t)why->part[i].ns);
		json_text(&to->json, "words", why->part[i].words.s);
		json_end(&to->json, '}');
		left_ns -= (int64_t)why->part[i].ns;
	}
	json_end(&to->json, ']');
	json_int(&to->json, "unexplained_ns", left_ns);
	json_text(&to->json, "missing", *why->missing.s ? why->missing.s : NULL);
}

static void put_why(struct json_summary *to, const struct summary_slow *slow)
{
	struct why why;

	why_find(&why, to->summary, slow, false);
	if (!why.is_known) {
		json_null(&to->json, "why");
		return;
	}
	json_object(&to->json, "why");
	json_int(&to->json, "excess_ns", (int64_t)why.excess_ns);
	put_parts(to, &why);
	json_text(&to->json, "words", slow_words(to->summary, slow, false).s);
	put_usual(to, &slow->usual);
	json_known(&to->json, "major_faults", slow->major_faults);
	json_known(&to->json, "read_bytes", slow->read_bytes);
	json_known(&to->json, "pool_queue_ns", slow->pool_queue_ns);
	json_count(&to->json, "overlap_ns", slow->overlap_ns);
	json_end(&to->json, '}');
}

static void put_slowest(struct json_summary *to, const struct summary_model *model)
{
	const struct summary_slow *slow = to->summary->slowest + model->slowest.first;

	json_array(&to->json, "slowest");
	for (uint32_t i = 0; i < model->slowest.n; i++) {
		json_object(&to->json, NULL);
		json_summary_time(to, "at_ns", slow[i].begin_ns);
		json_count(&to->json, "duration_ns", slow[i].duration_ns);
		json_known(&to->json, "pid",
			   slow[i].process < to->summary->n_processes ? to->summary->processes[slow[i].process].pid
								      : -1);
		json_known(&to->json, "session", slow[i].session);
		json_known(&to->json, "id", slow[i].id);
		json_known(&to->json, "inference", slow[i].number);
		json_known(&to->json, "tid", slow[i].tid);
		json_known(&to->json, "run_queue_ns", slow[i].run_queue_ns);
		json_known(&to->json, "thread_cpu_ns", slow[i].thread_cpu_ns);
		json_known(&to->json, "faults", slow[i].faults);
		json_known(&to->json, "switches", slow[i].switches);
		json_known(&to->json, "operators_ns", slow[i].operators_ns);
		json_summary_name(to, "node", slow[i].node);
		json_known(&to->json, "node_ns", slow[i].node ? (int64_t)slow[i].node_ns : -1);
		json_known(&to->json, "node_p50_ns", slow[i].node ? (int64_t)slow[i].node_p50_ns : -1);
		json_summary_name(to, "halted", slow[i].halted);
		json_known(&to->json, "halted_ns", slow[i].halted ? (int64_t)slow[i].halted_ns : -1);
		json_known(&to->json, "halted_at_most_ns", slow[i].halted ? (int64_t)slow[i].halted_most_ns : -1);
		json_bool(&to->json, "during_session_creation", slow[i].is_in_creation);
		json_int(&to->json, "other_inferences_at_the_time", slow[i].n_concurrent);
		put_why(to, &slow[i]);
		json_end(&to->json, '}');
	}
	json_end(&to->json, ']');
}

static void put_usage(struct json_summary *to, const struct summary_runs *runs)
{
	if (!runs->n_usage) {
		json_null(&to->json, "usage");
		json_text(&to->json, "usage_missing", usage_missing(to->summary).s);
		return;
	}
	json_object(&to->json, "usage");
	json_count(&to->json, "inferences", runs->n_usage);
	json_count(&to->json, "wall_ns", runs->usage_wall_ns);
	json_count(&to->json, "thread_cpu_ns", runs->thread_cpu_ns);
	json_count(&to->json, "faults", runs->faults);
	json_count(&to->json, "switches", runs->switches);
	json_count(&to->json, "wait_inferences", runs->n_waits);
	json_count(&to->json, "wait_wall_ns", runs->waits_wall_ns);
	json_count(&to->json, "run_queue_ns", runs->run_queue_ns);
	json_object(&to->json, "reads");
	json_count(&to->json, "inferences", runs->reads.n);
	json_count(&to->json, "bytes", runs->reads.bytes);
	json_count(&to->json, "wall_ns", runs->reads.wall_ns);
	json_count(&to->json, "blocked_ns", runs->reads.blocked_ns);
	json_end(&to->json, '}');
	json_end(&to->json, '}');
}

static void put_copies(struct json_summary *to, const char *key, const struct summary_copies *copies)
{
	json_object(&to->json, key);
	json_count(&to->json, "copies", copies->n);
	json_count(&to->json, "bytes", copies->bytes);
	json_end(&to->json, '}');
}

static void put_kernels(struct json_summary *to, const struct summary_runs *runs)
{
	const struct summary_device *device = &runs->device;

	if (!runs->device.n_runs) {
		json_null(&to->json, "kernels");
		return;
	}
	json_object(&to->json, "kernels");
	json_count(&to->json, "inferences", runs->device.n_runs);
	json_count(&to->json, "wall_ns", runs->device.wall_ns);
	json_count(&to->json, "kernels", device->n_kernels);
	json_count(&to->json, "kernels_ns", device->kernels_ns);
	json_count(&to->json, "busy_ns", device->busy_ns);
	json_count(&to->json, "idle_ns", device->idle_ns);
	json_count(&to->json, "launch_idle_ns", device->launch_idle_ns);
	json_count(&to->json, "wait_idle_ns", device->wait_idle_ns);
	json_count(&to->json, "copy_idle_ns", device->copy_idle_ns);
	json_count(&to->json, "idle_before_ns", device->before_ns);
	json_count(&to->json, "idle_between_ns", device->between_ns);
	json_count(&to->json, "late_ns", device->late_ns);
	json_count(&to->json, "copies_ns", device->copies_ns);
	put_copies(to, "copies_to_device", &device->to);
	put_copies(to, "copies_from_device", &device->from);
	json_count(&to->json, "calls", device->n_calls);
	json_count(&to->json, "waits", device->n_waits);
	json_count(&to->json, "waits_ns", device->waits_ns);
	json_count(&to->json, "memory_calls", device->n_memory);
	json_count(&to->json, "memory_calls_ns", device->memory_ns);
	json_count(&to->json, "compile_ns", device->compile_ns);
	json_count(&to->json, "load_ns", device->load_ns);
	json_end(&to->json, '}');
}

static void put_histogram(struct json_summary *to, const struct summary_runs *runs)
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
		json_count(&to->json, "inferences", runs->bucket[i]);
		json_end(&to->json, '}');
	}
	json_end(&to->json, ']');
}

static void put_workers(struct json_summary *to, const struct summary_model *model)
{
	struct recording_worker worker[RECORDING_WORKERS];
	uint32_t n = model->n_processes > 1 ? recording_workers_list(to->summary, model, worker) : 0;

	json_array(&to->json, "workers");
	for (uint32_t i = 0; i < n; i++) {
		json_object(&to->json, NULL);
		json_summary_process(to, worker[i].process);
		json_count(&to->json, "inferences", worker[i].n_runs);
		json_known(&to->json, "p50_ns", worker[i].n ? (int64_t)worker[i].p50_ns : -1);
		json_known(&to->json, "p90_ns", worker[i].n ? (int64_t)worker[i].p90_ns : -1);
		json_end(&to->json, '}');
	}
	json_end(&to->json, ']');
}

static void put_inferences(struct json_summary *to, const struct summary_model *model)
{
	const struct summary_runs *runs = &model->runs;

	json_object(&to->json, "inferences");
	json_count(&to->json, "count", runs->n);
	json_count(&to->json, "count_all", runs->n_all);
	json_count(&to->json, "failed", runs->n_failed);
	json_count(&to->json, "not_ended", runs->n_open);
	json_count(&to->json, "partial", runs->n_partial);
	json_count(&to->json, "first", runs->n_first);
	json_count(&to->json, "without_status", runs->n_without_status);
	json_known(&to->json, "with_gradients", runs->n_with_traits ? (int64_t)runs->n_gradients : -1);
	json_known(&to->json, "in_training_mode", runs->n_with_traits ? (int64_t)runs->n_training_mode : -1);
	json_summary_time(to, "begin_at_ns", runs->n ? runs->begin_ns : 0);
	json_summary_time(to, "end_at_ns", runs->end_ns);
	json_real(&to->json, "per_second", runs->rate);
	json_count(&to->json, "halted", runs->n_halted);
	json_count(&to->json, "halted_ns", runs->halted_ns);
	json_count(&to->json, "wall_ns", runs->wall_ns);
	json_count(&to->json, "not_ended_ns", runs->open_ns);
	json_count(&to->json, "inner_ns", runs->inner_ns);
	json_summary_spread(to, "latency", &runs->latency);
	put_histogram(to, runs);
	json_series(&to->json, "latency_series", &runs->series);
	json_summary_spread(to, "first_latency", &runs->first);
	json_summary_spread(to, "pool_queue", &runs->queue);
	json_int(&to->json, "max_concurrent", runs->max_concurrent);
	json_known(&to->json, "threads", runs->n_threads ? (int64_t)runs->n_threads : -1);
	put_usage(to, runs);
	put_kernels(to, runs);
	put_tallies(to, model, "shapes", KEY_SHAPES);
	json_list(to, "sizes", &columns_sizes, model->sizes.first, model->sizes.n);
	put_tallies(to, model, "batches", KEY_BATCH);
	put_tallies(to, model, "tags", KEY_TAG);
	put_tallies(to, model, "callers", KEY_CALLER);
	put_tallies(to, model, "failures", KEY_STATUS);
	put_slowest(to, model);
	json_end(&to->json, '}');
}

static const char *why_no_operators(const struct json_summary *to)
{
	if (!strcmp(names_text(to->names, to->summary->recording.level), "inference"))
		return "not recorded at level inference: use --level operator";
	return to->summary->n_operators ? "no finished inference of this model has any" : "none in this file";
}

/* Do its operators only start work, and the sentence that says so. */
static void put_deferred(struct json_summary *to, uint32_t provider)
{
	const char *name = names_text(to->names, provider);

	json_bool(&to->json, "is_deferred", provider_is_deferred(name));
	json_text(&to->json, "deferred", provider_is_deferred(name) ? provider_deferred_words(name, false).s : NULL);
}

static void put_operators(struct json_summary *to, const struct summary_model *model)
{
	const struct summary_coverage *coverage = &model->coverage;
	const struct summary_provider *ran_on = to->summary->ran_on + model->ran_on.first;

	if (!coverage->n) {
		json_null(&to->json, "operators");
		json_text(&to->json, "operators_missing", why_no_operators(to));
		return;
	}
	json_object(&to->json, "operators");
	json_count(&to->json, "inferences", coverage->n);
	json_count(&to->json, "inferences_with_parallel_operators", coverage->n_parallel);
	json_count(&to->json, "inferences_without_operators", coverage->n_without);
	json_count(&to->json, "wall_ns", coverage->wall_ns);
	json_count(&to->json, "operators_ns", coverage->operators_ns);
	json_count(&to->json, "operators_p50_ns", coverage->operators_p50_ns);
	json_count(&to->json, "setup_ns", coverage->setup_ns);
	json_count(&to->json, "turn_ns", coverage->turn_ns);
	json_count(&to->json, "behind_ns", coverage->behind_ns);
	json_count(&to->json, "halted_ns", coverage->halted_ns);
	json_count(&to->json, "unattributed_ns", coverage->unattributed_ns);
	json_array(&to->json, "providers");
	for (uint32_t i = 0; i < model->ran_on.n; i++) {
		json_object(&to->json, NULL);
		json_summary_name(to, "provider", ran_on[i].provider);
		json_count(&to->json, "nodes", ran_on[i].n_nodes);
		json_count(&to->json, "calls", ran_on[i].n_calls);
		json_count(&to->json, "share_ns", ran_on[i].share_ns);
		put_deferred(to, ran_on[i].provider);
		json_end(&to->json, '}');
	}
	json_end(&to->json, ']');
	json_list(to, "types", &columns_types, model->types.first, model->types.n);
	json_list(to, "nodes", &columns_nodes, model->nodes.first, model->nodes.n);
	json_end(&to->json, '}');
}

static void put_training(struct json_summary *to, const struct summary_training *training)
{
	if (!training->n_passes) {
		json_null(&to->json, "training");
		return;
	}
	json_object(&to->json, "training");
	json_count(&to->json, "inferences", training->n_runs);
	json_count(&to->json, "backward_passes", training->n_passes);
	json_count(&to->json, "backward_ns", training->passes_ns);
	json_end(&to->json, '}');
}

static void put_compiling(struct json_summary *to, const struct summary_compiling *compiling)
{
	if (!compiling->n) {
		json_null(&to->json, "compilations");
		return;
	}
	json_object(&to->json, "compilations");
	json_count(&to->json, "count", compiling->n);
	json_count(&to->json, "failed", compiling->n_failed);
	json_count(&to->json, "total_ns", compiling->ns);
	json_count(&to->json, "again", compiling->n_again);
	json_count(&to->json, "again_ns", compiling->again_ns);
	json_summary_name(to, "reason", compiling->reason);
	json_end(&to->json, '}');
}

static void put_idle(struct json_summary *to, const struct summary_model *model)
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

void json_models(struct json_summary *to)
{
	json_array(&to->json, "models");
	for (uint32_t i = 0; i < to->summary->n_models; i++) {
		const struct summary_model *model = &to->summary->models[i];
		const struct summary_runtime *runtime;

		if (!report_shows(to->report, i))
			continue;
		json_object(&to->json, NULL);
		json_summary_name(to, "name", model->name);
		json_summary_process(to, model->process);
		json_summary_name(to, "program",
				  model->process == SUMMARY_NONE ? 0 : to->summary->processes[model->process].name);
		if (model->n_processes > 1)
			json_count(&to->json, "processes", model->n_processes);
		put_workers(to, model);
		json_summary_name(to, "path", model->path);
		json_count(&to->json, "replaced", model->n_replaced);
		json_known(&to->json, "bytes", model->bytes);
		json_summary_name(to, "runtime", model->runtime);
		runtime = summary_runtime_of(to->summary, model);
		json_summary_name(to, "runtime_version", runtime ? runtime->version : 0);
		json_summary_name(to, "providers_asked_for", model->providers);
		put_idle(to, model);
		json_summary_name(to, "options", model->options);
		put_creation(to, model);
		put_sessions(to, model);
		put_inferences(to, model);
		json_generations(to, model);
		put_training(to, &model->training);
		put_compiling(to, &model->compiling);
		put_operators(to, model);
		json_end(&to->json, '}');
	}
	json_end(&to->json, ']');
}
