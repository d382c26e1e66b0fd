// SPDX-License-Identifier: Apache-2.0
/* The report of a model's runs as one JSON object, doc/model-json.md. What is not known is null; fields are only added.
 */
#include <math.h>

#include "base/text/json.h"
#include "show/json/json_diff.h"
#include "show/json/json_in.h"
#include "show/words/diff/diff_words.h"
#include "show/words/export.h"
#include "show/words/model/model_words.h"

static void put_values(struct json *json, const char *key, const struct model_value *value, uint32_t n)
{
	json_array(json, key);
	for (uint32_t i = 0; i < n; i++) {
		json_object(json, NULL);
		json_text(json, "name", value[i].name);
		json_text(json, "type", value[i].type);
		json_text(json, "shape", value[i].shape);
		json_end(json, '}');
	}
	json_end(json, ']');
}

static void put_model(struct json *json, const char *key, const struct model_facts *model)
{
	json_object(json, key);
	json_text(json, "path", model->path);
	json_text(json, "name", model->name);
	json_text(json, "producer", model->producer);
	json_text(json, "opset", model->opset);
	json_text(json, "graph_missing", model->graph_missing);
	json_known(json, "file_bytes", model->file_bytes);
	json_known(json, "parameters", model->n_parameters);
	json_known(json, "weight_bytes", model->weight_bytes);
	json_known(json, "weight_bytes_read", model->read_bytes);
	json_known(json, "flops", model->flops);
	json_known(json, "bytes", model->bytes);
	json_known(json, "nodes", model->n_nodes);
	json_known(json, "nodes_inside", model->n_inside);
	json_known(json, "nodes_of_unknown_flops", model->n_unknown);
	put_values(json, "inputs", model->inputs, model->n_inputs);
	put_values(json, "outputs", model->outputs, model->n_outputs);
	json_end(json, '}');
}

static void put_rate(struct json *json, const char *key, const struct machine_rate *rate)
{
	json_object(json, key);
	json_real(json, "best_per_second", rate->high);
	json_real(json, "median_per_second", rate->median);
	json_real(json, "worst_per_second", rate->low);
	json_end(json, '}');
}

static void put_machine(struct json *json, const struct model_machine *machine)
{
	const struct machine_peak *peak = &machine->peak;

	json_object(json, "machine");
	json_text(json, "cpu", machine->cpu);
	json_text(json, "kernel", machine->kernel);
	json_text(json, "host", machine->host);
	json_known(json, "cpus", machine->n_cpus);
	json_real(json, "usable_cpus", machine->usable_cpus);
	json_known(json, "memory_bytes", machine->memory_bytes);
	if (peak->n_cpus < 1) {
		json_null(json, "peaks");
	} else {
		json_object(json, "peaks");
		json_int(json, "cpus", peak->n_cpus);
		json_text(json, "instructions", peak->instructions);
		put_rate(json, "flops", &peak->flops);
		put_rate(json, "flops_of_one_core", &peak->core_flops);
		put_rate(json, "memory_bytes", &peak->bytes);
		put_rate(json, "cache_bytes", &peak->cache_bytes);
		json_end(json, '}');
	}
	json_end(json, '}');
}

/* Columns, since there are many: the n-th of each is the n-th inference. */
static void put_samples(struct json *json, const struct model_result *result)
{
	static const char *const keys[] = {
		"start_monotonic_ns", "duration_ns", "due_monotonic_ns", "shape", "thread", "round", "status"
	};
	enum { COLUMNS = sizeof keys / sizeof *keys, STATUS = COLUMNS - 1 };

	json_object(json, "samples");
	for (int column = 0; column < COLUMNS; column++) {
		json_array(json, keys[column]);
		for (uint32_t i = 0; i < result->n_latencies; i++) {
			const struct model_latency *one = &result->latencies[i];
			const int64_t values[COLUMNS] = { (int64_t)one->start_ns,
							  (int64_t)one->duration_ns,
							  one->queued_ns,
							  one->shape,
							  one->thread,
							  one->round,
							  one->status };

			if (column == STATUS)
				json_int(json, NULL, values[column]);
			else
				json_known(json, NULL, values[column]);
		}
		json_end(json, ']');
	}
	json_end(json, '}');
}

static void put_latencies(struct json *json, const struct model_run *run)
{
	const struct model_result *result = run->result;

	json_series(json, "latency", &run->latency);
	json_series(json, "response", &run->response);
	json_array(json, "shapes");
	for (uint32_t i = 0; i < result->n_shapes; i++) {
		json_object(json, NULL);
		json_text(json, "shape", result->shapes[i]);
		if (i < run->n_groups)
			json_series(json, "latency", &run->groups[i].latency);
		json_end(json, '}');
	}
	json_end(json, ']');
	put_samples(json, result);
	json_text(json, "ended_early", result->ended_early);
	json_known(json, "requests_not_served", result->n_unserved);
}

/* null: inferences were measured. */
static void put_generations(struct json *json, const struct model_run *run)
{
	const struct model_result *result = run->result;

	if (!result->n_tokens) {
		json_null(json, "generations");
		return;
	}
	json_object(json, "generations");
	json_known(json, "output_tokens", result->n_tokens);
	json_count(json, "count", run->first_token.n);
	json_real(json, "tokens_per_second", run->rate_per_s * (double)(result->n_items > 0 ? result->n_items : 1));
	json_series(json, "first_token", &run->first_token);
	json_series(json, "between_tokens", &run->latency);
	json_real(json, "weight_bytes_per_second", run->weights_per_s);
	json_real(json, "share_of_memory_bandwidth", run->weights_share);
	json_array(json, "prompts");
	for (uint32_t i = 0; i < run->n_groups; i++) {
		json_object(json, NULL);
		json_known(json, "prompt_tokens", result->prompts[i]);
		json_series(json, "first_token", &run->groups[i].first_token);
		json_series(json, "between_tokens", &run->groups[i].latency);
		json_end(json, '}');
	}
	json_end(json, ']');
	json_end(json, '}');
}

static void put_steps(struct json *json, const struct model_result *result)
{
	json_array(json, "steps");
	for (uint32_t i = 0; i < result->n_steps; i++) {
		const struct model_step *step = &result->steps[i];

		json_object(json, NULL);
		json_text(json, "name", step->name);
		json_known(json, "begin_monotonic_ns", step->begin_ns);
		json_known(json, "end_monotonic_ns", step->end_ns);
		json_known(json, "rss_bytes", step->rss_bytes);
		json_known(json, "peak_rss_bytes", step->peak_bytes);
		json_end(json, '}');
	}
	json_end(json, ']');
}

static void put_creation(struct json *json, const struct model_run *run)
{
	const struct model_result *result = run->result;

	json_object(json, "creation");
	json_known(json, "duration_ns", result->creation_ns);
	json_array(json, "phases");
	for (uint32_t i = 0; i < result->n_phases; i++) {
		json_object(json, NULL);
		json_text(json, "name", result->phases[i].name);
		json_known(json, "self_ns", result->phases[i].ns);
		json_known(json, "calls", result->phases[i].n);
		json_end(json, '}');
	}
	json_end(json, ']');
	json_known(json, "unattributed_ns", run->creation_rest_ns);
	json_array(json, "transformers");
	for (uint32_t i = 0; i < result->n_transformers; i++) {
		json_object(json, NULL);
		json_text(json, "name", result->transformers[i].name);
		json_known(json, "self_ns", result->transformers[i].ns);
		json_known(json, "calls", result->transformers[i].n);
		json_end(json, '}');
	}
	json_end(json, ']');
	json_end(json, '}');
}

static void put_outputs(struct json *json, const struct model_result *result)
{
	json_text(json, "outputs_against", result->against);
	json_text(json, "outputs_missing", result->outputs_missing);
	json_array(json, "outputs");
	for (uint32_t i = 0; i < result->n_outputs; i++) {
		const struct model_output *output = &result->outputs[i];

		json_object(json, NULL);
		json_text(json, "name", output->name);
		json_text(json, "type", output->type);
		json_text(json, "shape", output->shape);
		json_bool(json, "agrees", output->is_equal);
		json_text(json, "not_compared", output->problem);
		json_known(json, "elements", output->n_elements);
		json_known(json, "different", output->n_different);
		json_real(json, "max_absolute", output->max_abs);
		json_real(json, "max_relative", output->max_rel);
		json_real(json, "cosine", output->cosine);
		json_text(json, "at", output->where);
		json_real(json, "tolerance_absolute", output->tolerance_abs);
		json_real(json, "tolerance_relative", output->tolerance_rel);
		json_end(json, '}');
	}
	json_end(json, ']');
}

static void put_ratio(struct json *json, const char *key, const struct stats_ratio *ratio)
{
	json_object(json, key);
	json_real(json, "ratio", ratio->value);
	json_real(json, "low", ratio->low);
	json_real(json, "high", ratio->high);
	if (ratio->is_known)
		json_bool(json, "is_different", ratio->is_different);
	else
		json_null(json, "is_different");
	json_end(json, '}');
}

static void put_bytes(struct json *json, const char *key, double bytes)
{
	json_known(json, key, bytes >= 0 && bytes < 0x1p62 ? (int64_t)bytes : -1);
}

static void put_device(struct json *json, const struct model_run *run, const struct model_device *device)
{
	json_object(json, NULL);
	json_text(json, "name", device->name);
	json_text(json, "description", device->description);
	json_real(json, "busy_percent_mean", device->busy_pct);
	json_real(json, "busy_percent_max", device->busy_max_pct);
	json_text(json, "busy_of", device->busy_of);
	put_bytes(json, "process_memory_bytes", device->process_bytes);
	put_bytes(json, "memory_used_bytes", device->used_bytes);
	json_real(json, "power_watts", device->watts);
	json_real(json, "energy_joules", device->joules);
	json_real(json, "energy_joules_per_inference", model_energy_each(run, device->joules));
	json_text(json, "energy_missing", device->energy_missing);
	json_end(json, '}');
}

static void put_usage(struct json *json, const struct model_run *run)
{
	const struct model_result *result = run->result;

	json_known(json, "steady_ns", result->steady_ns);
	json_known(json, "cpu_user_ns", result->cpu_user_ns);
	json_known(json, "cpu_system_ns", result->cpu_system_ns);
	json_known(json, "run_queue_ns", result->run_queue_ns);
	json_real(json, "cpus_in_use", run->cores);
	json_real(json, "cpus_in_use_by_others", run->others_cores);
	json_known(json, "peak_rss_bytes", result->peak_bytes);
	json_real(json, "energy_joules", result->energy_joules);
	json_real(json, "energy_joules_per_inference", run->energy_joules);
	json_text(json, "energy_scope", result->energy_scope);
	json_text(json, "energy_missing", result->energy_missing);
	json_array(json, "counters");
	for (uint32_t i = 0; i < result->n_counters; i++) {
		json_object(json, NULL);
		json_text(json, "name", result->counters[i].name);
		json_text(json, "unit", result->counters[i].unit);
		json_real(json, "mean", result->counters[i].mean);
		json_real(json, "max", result->counters[i].max);
		json_end(json, '}');
	}
	json_end(json, ']');
	json_array(json, "devices");
	for (uint32_t i = 0; i < result->n_devices; i++)
		put_device(json, run, &result->devices[i]);
	json_end(json, ']');
	json_text(json, "devices_missing", result->devices_missing);
}

static void put_asked(struct json *json, const struct model_result *result)
{
	json_text(json, "label", result->label);
	json_text(json, "provider", result->provider);
	json_text(json, "device", result->device);
	json_text(json, "policy", result->policy);
	json_text(json, "options", result->options);
	json_known(json, "concurrency", result->concurrency);
	json_known(json, "threads", result->n_threads);
	json_text(json, "optimization", result->optimization);
	json_known(json, "batch_size", result->n_items);
	json_real(json, "requests_per_second", result->rate_per_s);
	json_text(json, "error", result->error);
	json_text(json, "failed_in", result->failed_in);
	json_text(json, "runtime", result->runtime);
	json_text(json, "version", result->version);
	json_text(json, "runtime_path", result->runtime_path);
	json_text(json, "providers_of_runtime", result->available);
	json_text(json, "recording", result->recording);
	json_text(json, "operator_recording", result->operator_recording);
	json_known(json, "lost_events", result->n_lost);
	json_real(json, "event_ns", result->event_ns);
}

/* What it has of each thing that the runs differ in. */
static void put_differs(struct json *json, const struct model_result *result)
{
	static const char *const keys[N_MODEL_AXES] = {
		"model", "runtime", "provider", "threads", "batch_size", "optimization",
	};

	json_object(json, "differs");
	for (int axis = 0; axis < N_MODEL_AXES; axis++)
		if (result->differs[axis])
			json_text(json, keys[axis], result->differs[axis]);
	json_end(json, '}');
}

/* By how much the run is faster than in the baseline, as a ratio of speeds. */
static struct stats_ratio ratio_of(const struct diff_value *value)
{
	return (struct stats_ratio){ .value = 1 / (1 + value->change),
				     .low = 1 / (1 + value->high),
				     .high = 1 / (1 + value->low),
				     .is_known = isfinite(value->low),
				     .is_different = value->says >= DIFF_WORSE };
}

static void put_before(struct json *json, const struct diff *baseline, uint32_t r)
{
	const struct diff_pair *pair = baseline ? diff_pair_of(baseline, r) : NULL;
	struct stats_ratio unknown = { NAN, NAN, NAN, false, false };
	struct stats_ratio change = pair ? ratio_of(&pair->value[diff_headline(pair)]) : unknown;

	json_real(json, "mean_before_ns", pair ? pair->value[DIFF_MEAN].base : NAN);
	json_real(json, "mean_before_interval_95_ns", pair ? pair->base->mean_interval_ns : NAN);
	put_ratio(json, "speed_since_baseline", &change);
}

static void put_run(struct json *json, const struct model_analysis *analysis, uint32_t r)
{
	const struct model_run *run = &analysis->runs[r];

	json_object(json, NULL);
	put_asked(json, run->result);
	put_differs(json, run->result);
	json_text(json, "model_path", model_facts_of(analysis->report, r)->path);
	put_steps(json, run->result);
	put_creation(json, run);
	json_known(json, "first_inference_ns", run->result->first_ns);
	json_known(json, "warmup_inferences", run->result->n_warmup);
	json_text(json, "warmup", run->result->warmup_words);
	json_real(json, "per_second", run->rate_per_s);
	json_count(json, "failed_inferences", run->n_failed);
	json_int(json, "rounds", run->n_rounds);
	json_real(json, "lowest_mean_of_a_round_ns", run->round_low_ns);
	json_real(json, "highest_mean_of_a_round_ns", run->round_high_ns);
	json_real(json, "items_per_second", run->items_per_s);
	put_ratio(json, "speed", &run->speed);
	json_text(json, "speed_of", model_per(analysis));
	json_real(json, "speed_of_medians", run->typical_speed);
	put_before(json, analysis->report->baseline, r);
	put_latencies(json, run);
	put_generations(json, run);
	put_usage(json, run);
	json_model_operators(json, analysis, r);
	json_model_kernels(json, analysis, r);
	put_outputs(json, run->result);
	json_end(json, '}');
}

/* null: there is none. */
static void put_baseline(struct json *json, const struct diff *diff)
{
	struct printable note;

	if (!diff) {
		json_null(json, "baseline");
		return;
	}
	json_object(json, "baseline");
	json_text(json, "path", diff->base.runs->path);
	json_text(json, "version", diff->base.runs->fact[DIFF_VERSION]);
	json_known(json, "start_realtime_ns", diff->base.runs->start_realtime_ns);
	json_array(json, "notes");
	for (uint32_t i = 0; *(note = diff_note(diff, i, false)).s; i++)
		json_text(json, NULL, note.s);
	json_end(json, ']');
	json_diff(json, diff);
	json_end(json, '}');
}

static void put_nodes(struct json *json, const struct model_analysis *analysis)
{
	static const char *const hows[] = { NULL, "same", "renamed", "fused", "subgraph" };
	const struct model_comparison *comparison = &analysis->comparison;

	json_array(json, "nodes");
	for (uint32_t i = 0; i < comparison->n_rows; i++) {
		const struct model_row *row = &comparison->rows[i];
		const struct model_node *node = row->node == MODEL_NONE ? NULL : &row->model->nodes[row->node];

		json_object(json, NULL);
		json_text(json, "name", row->name);
		json_text(json, "op_type", row->op_type);
		json_bool(json, "is_of_model", node != NULL);
		json_known(json, "flops", node ? node->flops : -1);
		json_known(json, "bytes", node ? node->bytes : -1);
		json_array(json, "runs");
		for (uint32_t r = 0; r < analysis->report->n_results; r++) {
			const struct model_join *join = &row->join[r];

			json_object(json, NULL);
			json_text(json, "how", hows[join->how]);
			if (join->how == MODEL_NOT_RUN)
				json_null(json, "operator");
			else
				json_int(json, "operator", join->at);
			put_ratio(json, "speed", &row->speed[r]);
			json_end(json, '}');
		}
		json_end(json, ']');
		json_end(json, '}');
	}
	json_end(json, ']');
}

void export_model_json(FILE *out, const struct model_analysis *analysis)
{
	const struct model_report *report = analysis->report;
	struct json json;

	json_init(&json, out);
	json_object(&json, NULL);
	json_text(&json, "verdict", model_verdict(analysis, false).s);
	json_text(&json, "version", report->version);
	json_text(&json, "command", report->command);
	json_known(&json, "start_realtime_ns", report->start_realtime_ns);
	put_model(&json, "model", &report->model);
	json_array(&json, "models");
	for (uint32_t r = 0; r < report->n_results; r++)
		if (model_is_first_of_file(report, r))
			put_model(&json, NULL, model_facts_of(report, r));
	json_end(&json, ']');
	put_machine(&json, &report->machine);
	json_array(&json, "settings");
	for (uint32_t i = 0; i < report->n_settings; i++) {
		json_object(&json, NULL);
		json_text(&json, "name", report->settings[i].name);
		json_text(&json, "value", report->settings[i].value);
		json_end(&json, '}');
	}
	json_end(&json, ']');
	put_baseline(&json, report->baseline);
	json_array(&json, "runs");
	for (uint32_t r = 0; r < report->n_results; r++)
		put_run(&json, analysis, r);
	json_end(&json, ']');
	put_nodes(&json, analysis);
	json_array(&json, "insights");
	json_findings(&json, analysis, NULL);
	json_end(&json, ']');
	json_end(&json, '}');
	json_done(&json);
}
