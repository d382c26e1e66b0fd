// SPDX-License-Identifier: Apache-2.0
/*
 * The figures of a result of `inftrace model`, from its JSON (doc/model-json.md). The bytes are a stranger's. Each of
 * its runs is a model here; unknown fields are skipped, missing ones are not known.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyze/diff/diff_run.h"
#include "analyze/result/phase_names.h"
#include "analyze/summary/summary_model.h"
#include "base/array.h"
#include "base/text/json_fields.h"
#include "base/text/units.h"

enum { MAX_SETTINGS = 64 };

#define FIELD(type, of, name) JSON_FIELD_##type, offsetof(struct of, name)
#define FIGURE(which) FIELD(POSITIVE, result, model.figure[which])

struct results {
	struct diff_run *to;
	struct array models; /* struct diff_model */
	const char *model_name, *cpu, *kernel, *version, *command, *settings;
	double others_cpu, n_cpus, memory_bytes, model_bytes;
	int64_t start_realtime_ns;
	uint32_t n_settings;
	bool is_recording, has_runs;
};

struct result {
	struct diff_model model;
	struct array operators, durations; /* struct diff_operator, uint64_t */
	const char *label, *version, *speed_of, *own_model;
	double n, n_failed, n_inferences, rss_bytes, others_cpu, n_items, n_tokens, prompt_tokens;
};

struct phase {
	const char *name;
	double ns;
};

struct listed {
	struct diff_operator op;
	double calls, mean_ns, interval_ns;
};

static const struct json_field latency_fields[] = {
	{ "count", FIELD(POSITIVE, result, n) },
	{ "p50_ns", FIGURE(DIFF_MEDIAN) },
	{ "p99_ns", FIGURE(DIFF_P99) },
	{ "mean_ns", FIGURE(DIFF_MEAN) },
	{ "mean_interval_95_ns", FIELD(REAL, result, model.mean_interval_ns) },
	{ "total_ns", FIELD(POSITIVE, result, model.wall_ns) },
	{ NULL },
};

static void add_duration(struct json_fields *reader, enum json_token token, void *to)
{
	struct result *result = to;
	uint64_t *duration;
	int64_t ns;

	if (token != JSON_NUMBER || !json_span_int(reader->json.value, &ns) || ns <= 0) {
		json_fields_skip(reader, token);
		return;
	}
	duration = array_add(&result->durations, sizeof *duration);
	reader->is_out_of_memory |= !duration;
	if (duration)
		*duration = (uint64_t)ns;
}

static const struct json_field sample_fields[] = {
	{ "duration_ns", JSON_FIELD_LIST, .element = add_duration },
	{ NULL },
};

static const struct json_field phase_fields[] = {
	{ "name", FIELD(NAME, phase, name) },
	{ "self_ns", FIELD(POSITIVE, phase, ns) },
	{ NULL },
};

static void add_phase(struct json_fields *reader, enum json_token token, void *to)
{
	struct result *result = to;
	struct phase phase = { NULL, NAN };

	if (token != JSON_OBJECT) {
		json_fields_skip(reader, token);
		return;
	}
	json_fields_read(reader, phase_fields, &phase);
	for (int i = 0; phase.name && i < N_PHASES; i++)
		if (!strcmp(phase.name, phase_names[i].words))
			result->model.figure[DIFF_PHASE + i] = phase.ns;
}

static const struct json_field creation_fields[] = {
	{ "duration_ns", FIGURE(DIFF_CREATION) },
	{ "unattributed_ns", FIGURE(DIFF_PHASE + PHASE_UNATTRIBUTED) },
	{ "phases", JSON_FIELD_LIST, .element = add_phase },
	{ NULL },
};

static const struct json_field operator_fields[] = {
	{ "name", FIELD(NAME, listed, op.name) },
	{ "op_type", FIELD(NAME, listed, op.op_type) },
	{ "provider", FIELD(NAME, listed, op.provider) },
	{ "shapes", FIELD(NAME, listed, op.shapes) },
	{ "node", FIELD(NAME, listed, op.node) },
	{ "calls", FIELD(POSITIVE, listed, calls) },
	{ "p50_ns", FIELD(POSITIVE, listed, op.median_ns) },
	{ "mean_ns", FIELD(POSITIVE, listed, mean_ns) },
	{ "mean_interval_95_ns", FIELD(POSITIVE, listed, interval_ns) },
	{ NULL },
};

/* Calls are divided by the number of inferences later. The order is not told: the list begins with the largest. */
static void add_operator(struct json_fields *reader, enum json_token token, void *to)
{
	struct result *result = to;
	struct listed listed = { { .median_ns = NAN }, NAN, NAN, NAN };
	struct diff_operator *op;

	if (token != JSON_OBJECT) {
		json_fields_skip(reader, token);
		return;
	}
	json_fields_read(reader, operator_fields, &listed);
	if (!(listed.op.median_ns > 0) || !(listed.calls > 0) || !listed.op.name)
		return;
	op = array_add(&result->operators, sizeof *op);
	reader->is_out_of_memory |= !op;
	if (!op)
		return;
	*op = listed.op;
	op->node = op->node ? op->node : op->name;
	op->calls = listed.calls;
	op->typical_ns = op->median_ns;
	op->device_ns = NAN;
	op->scatter = listed.interval_ns / 2 / listed.mean_ns;
	op->order = (uint32_t)result->operators.n;
}

static const struct json_field prompt_fields[] = {
	{ "prompt_tokens", JSON_FIELD_POSITIVE, 0 },
	{ NULL },
};

static void add_prompt(struct json_fields *reader, enum json_token token, void *to)
{
	struct result *result = to;
	double tokens = 0;

	if (token == JSON_OBJECT)
		json_fields_read(reader, prompt_fields, &tokens);
	else
		json_fields_skip(reader, token);
	result->prompt_tokens += tokens;
}

static const struct json_field generations_fields[] = {
	{ "output_tokens", FIELD(POSITIVE, result, n_tokens) },
	{ "prompts", JSON_FIELD_LIST, .element = add_prompt },
	{ NULL },
};

static const struct json_field differs_fields[] = {
	{ "model", FIELD(NAME, result, own_model) },
	{ NULL },
};

static const struct json_field operators_fields[] = {
	{ "inferences", FIELD(POSITIVE, result, n_inferences) },
	{ "list", JSON_FIELD_LIST, .element = add_operator },
	{ NULL },
};

static const struct json_field run_fields[] = {
	{ "label", FIELD(NAME, result, label) },
	{ "runtime", FIELD(NAME, result, model.runtime) },
	{ "version", FIELD(NAME, result, version) },
	{ "provider", FIELD(NAME, result, model.provider) },
	{ "options", FIELD(NAME, result, model.options) },
	{ "operators_missing", FIELD(NAME, result, model.operators_missing) },
	{ "latency", JSON_FIELD_OBJECT, .inner = latency_fields },
	{ "samples", JSON_FIELD_OBJECT, .inner = sample_fields },
	{ "creation", JSON_FIELD_OBJECT, .inner = creation_fields },
	{ "operators", JSON_FIELD_OBJECT, .inner = operators_fields },
	{ "generations", JSON_FIELD_OBJECT, .inner = generations_fields },
	{ "differs", JSON_FIELD_OBJECT, .inner = differs_fields },
	{ "batch_size", FIELD(POSITIVE, result, n_items) },
	{ "first_inference_ns", FIGURE(DIFF_FIRST) },
	{ "per_second", FIGURE(DIFF_RATE) },
	{ "speed_of", FIELD(NAME, result, speed_of) },
	{ "failed_inferences", FIELD(POSITIVE, result, n_failed) },
	{ "event_ns", FIELD(POSITIVE, result, model.event_ns) },
	{ "peak_rss_bytes", FIELD(POSITIVE, result, rss_bytes) },
	{ "cpus_in_use_by_others", FIELD(REAL, result, others_cpu) },
	{ NULL },
};

static void take_operators(struct json_fields *reader, struct result *result)
{
	struct diff_model *model = &result->model;
	size_t n = result->n_inferences > 0 ? result->operators.n : 0;

	model->operators = arena_alloc(reader->arena, (n + 1) * sizeof *model->operators);
	reader->is_out_of_memory |= !model->operators;
	for (size_t i = 0; model->operators && i < n; i++) {
		model->operators[i] = ((const struct diff_operator *)result->operators.data)[i];
		model->operators[i].calls /= result->n_inferences;
	}
	model->n_operators = model->operators ? (uint32_t)n : 0;
	if (model->n_operators) {
		model->operators_missing = NULL;
		diff_model_sum(model);
	} else if (!model->operators_missing) {
		model->operators_missing = "the result has none";
	}
}

/* Blocks of consecutive inferences, as in a recording. */
static void take_scatter(struct json_fields *reader, struct result *result)
{
	struct stats stats = { 0 };
	struct stats_typical typical = { 0 };

	for (size_t i = 0; i < result->durations.n; i++)
		reader->is_out_of_memory |= stats_add(&stats, ((const uint64_t *)result->durations.data)[i]) != 0;
	reader->is_out_of_memory |= stats_typical_of(&typical, &stats) != 0;
	result->model.scatter[DIFF_MEDIAN] = stats_typical_scatter(typical.block_ns, typical.n_blocks);
	stats_done(&stats);
}

static const char *join(struct json_fields *reader, const char *a, const char *between, const char *b)
{
	size_t size = strlen(a ? a : "") + strlen(between) + strlen(b ? b : "") + 1;
	char *text = arena_alloc(reader->arena, size);

	reader->is_out_of_memory |= !text;
	if (text)
		snprintf(text, size, "%s%s%s", a ? a : "", between, b ? b : "");
	return text ? text : "";
}

static void add_peak(struct json_fields *reader, struct diff_run *to, const struct result *result)
{
	uint32_t n = to->n_resources;

	to->resources =
	    arena_grow(reader->arena, to->resources, n * sizeof *to->resources, (n + 1) * sizeof *to->resources);
	reader->is_out_of_memory |= !to->resources;
	if (to->resources)
		to->resources[to->n_resources++] =
		    (struct diff_resource){ result->label, "rss", "bytes", NAN, result->rss_bytes, NAN, 1, 1 };
}

/* Times of one are no times of the other where these differ. */
static const char *work_of(struct json_fields *reader, const struct result *result)
{
	struct printable text = { "" };

	if (result->n_items > 0)
		printable_add(&text, "batch %s", units_decimal(result->n_items).s);
	if (result->n_tokens > 0)
		printable_add(&text, "%s%s tokens behind prompts of %s", *text.s ? ", " : "",
			      units_decimal(result->n_tokens).s, units_decimal(result->prompt_tokens).s);
	return *text.s ? join(reader, text.s, "", NULL) : NULL;
}

static void take_result(struct json_fields *reader, struct results *results, struct result *result)
{
	const char **runtime = &results->to->fact[DIFF_RUNTIME];
	struct diff_model *model = array_add(&results->models, sizeof *model);

	reader->is_out_of_memory |= !model;
	if (!model || reader->is_out_of_memory)
		return;
	result->model.label = result->label;
	/* where the runs have several models, the label names its own */
	result->model.name = result->own_model ? result->label : NULL;
	result->model.work = work_of(reader, result);
	result->model.counts_tokens = result->speed_of && !strcmp(result->speed_of, "token");
	result->model.n = (uint64_t)fmax(result->n, 0);
	result->model.n_failed = (uint64_t)fmax(result->n_failed, 0);
	*model = result->model;
	results->others_cpu = fmax(results->others_cpu, result->others_cpu);
	if (model->runtime && !*runtime)
		*runtime = join(reader, model->runtime, " ", result->version);
	add_peak(reader, results->to, result);
}

static void add_run(struct json_fields *reader, enum json_token token, void *to)
{
	struct result result = { .n = NAN, .n_failed = NAN, .n_inferences = NAN, .rss_bytes = NAN, .others_cpu = NAN };

	if (token != JSON_OBJECT) {
		json_fields_skip(reader, token);
		return;
	}
	diff_model_init(&result.model);
	json_fields_read(reader, run_fields, &result);
	take_operators(reader, &result);
	take_scatter(reader, &result);
	result.label = result.label ? result.label : "(run)";
	take_result(reader, to, &result);
	array_done(&result.operators, sizeof(struct diff_operator));
	array_done(&result.durations, sizeof(uint64_t));
}

static const struct json_field model_fields[] = {
	{ "name", FIELD(NAME, results, model_name) },
	{ "file_bytes", FIELD(POSITIVE, results, model_bytes) },
	{ NULL },
};

static const struct json_field machine_fields[] = {
	{ "cpu", FIELD(NAME, results, cpu) },
	{ "kernel", FIELD(NAME, results, kernel) },
	{ "memory_bytes", FIELD(POSITIVE, results, memory_bytes) },
	{ "cpus", FIELD(POSITIVE, results, n_cpus) },
	{ NULL },
};

struct setting {
	const char *name, *value;
};

static const struct json_field setting_fields[] = {
	{ "name", FIELD(NAME, setting, name) },
	{ "value", FIELD(NAME, setting, value) },
	{ NULL },
};

/* The runtime is a fact of its own: where it lies does not matter. */
static void add_setting(struct json_fields *reader, enum json_token token, void *to)
{
	struct results *results = to;
	struct setting setting = { NULL, NULL };
	const char *text;

	if (token != JSON_OBJECT || results->n_settings == MAX_SETTINGS) {
		json_fields_skip(reader, token);
		return;
	}
	json_fields_read(reader, setting_fields, &setting);
	if (!setting.name || !strcmp(setting.name, "runtime"))
		return;
	text = join(reader, setting.name, " ", setting.value);
	results->settings = results->n_settings++ ? join(reader, results->settings, ", ", text) : text;
}

static const struct json_field top_fields[] = {
	{ "model", JSON_FIELD_OBJECT, .inner = model_fields },
	{ "machine", JSON_FIELD_OBJECT, .inner = machine_fields },
	{ "runs", FIELD(IS_THERE, results, has_runs) },
	{ "runs", JSON_FIELD_LIST, .element = add_run },
	{ "settings", JSON_FIELD_LIST, .element = add_setting },
	{ "start_realtime_ns", FIELD(WHOLE, results, start_realtime_ns) },
	{ "version", FIELD(NAME, results, version) },
	{ "command", FIELD(NAME, results, command) },
	{ "recording", FIELD(IS_THERE, results, is_recording) },
	{ NULL },
};

static int check(const struct json_fields *reader, const struct results *results, const char *text, struct err *err)
{
	if (reader->is_out_of_memory)
		return err_set(err, ENOMEM, "out of memory");
	if (reader->json.is_broken)
		return err_set(err, EBADMSG, "at byte %zu: the JSON is damaged or cut off; write it again",
			       (size_t)(reader->json.at - text));
	if (results->is_recording)
		return err_set(err, EINVAL, "it is a report of a recording; give the recording itself");
	if (!results->has_runs)
		return err_set(err, EINVAL, "it has no \"runs\"; give the JSON of inftrace model");
	return 0;
}

static void take_results(struct json_fields *reader, const struct results *results, struct diff_run *run)
{
	run->models = arena_alloc(reader->arena, (results->models.n + 1) * sizeof *run->models);
	reader->is_out_of_memory |= !run->models;
	for (size_t i = 0; run->models && i < results->models.n; i++) {
		struct diff_model *model = &run->models[i];

		*model = ((const struct diff_model *)results->models.data)[i];
		if (!model->name)
			model->name =
			    join(reader, results->model_name, results->model_name ? " on " : "", model->label);
	}
	run->n_models = run->models ? (uint32_t)results->models.n : 0;
	/* the share of the CPUs that other programs used: the closest to pressure that a result has */
	if (results->n_cpus > 0 && results->others_cpu >= 0)
		run->busy = results->others_cpu / results->n_cpus;
	run->start_realtime_ns = results->start_realtime_ns;
	run->fact[DIFF_MACHINE] = results->cpu;
	run->fact[DIFF_CPUS] = results->n_cpus > 0 ? join(reader, units_decimal(results->n_cpus).s, "", NULL) : NULL;
	if (results->memory_bytes > 0)
		run->fact[DIFF_MEMORY] = join(reader, units_bytes(results->memory_bytes).s, "", NULL);
	run->fact[DIFF_KERNEL] = results->kernel;
	run->fact[DIFF_MODEL] =
	    results->model_bytes > 0
		? join(reader, results->model_name, ", ", printable_count((uint64_t)results->model_bytes, "byte").s)
		: results->model_name;
	run->fact[DIFF_SETTINGS] = results->settings;
	run->fact[DIFF_VERSION] = results->version;
	run->fact[DIFF_COMMAND] = results->command;
}

int diff_result_of(struct diff_run *run, const char *text, size_t len, struct arena *arena, struct err *err)
{
	struct results results = { .to = run, .others_cpu = NAN, .n_cpus = NAN, .start_realtime_ns = -1 };
	struct json_fields reader = { .arena = arena };
	int code;

	run->source = DIFF_OF_RESULT;
	run->busy = NAN;
	run->fact[DIFF_KIND] = "result of inftrace model";
	json_read_init(&reader.json, text, len);
	if (json_read_next(&reader.json) == JSON_OBJECT)
		json_fields_read(&reader, top_fields, &results);
	take_results(&reader, &results, run);
	code = check(&reader, &results, text, err);
	array_done(&results.models, sizeof(struct diff_model));
	return code;
}
