// SPDX-License-Identifier: Apache-2.0
/*
 * The figures of a result of `inftrace model`, from its JSON (doc/model-json.md). The bytes are a stranger's. Each of
 * its runs is a model here; unknown fields are skipped, missing ones are not known.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/diff/diff_run.h"
#include "analyze/result/phase_names.h"
#include "analyze/summary/summary_model.h"
#include "base/array.h"
#include "base/text/json_read.h"
#include "base/text/utf8.h"

enum { MAX_TEXT = 1 << 16, MAX_DIGITS = 40 };

struct result_reader {
	struct json_reader json;
	struct diff_run *to;
	struct arena *arena;
	struct array models, operators, durations; /* struct diff_model, struct diff_operator, uint64_t */
	const char *model_name, *version;
	double others_cpu, n_cpus;
	bool is_out_of_memory, is_recording, has_runs;
};

/* One that it is in: its fields are read one by one. */
typedef void (*field_reader)(struct result_reader *reader, enum json_token token, void *to);

static void read_object(struct result_reader *reader, field_reader field, void *to)
{
	int depth = reader->json.depth;
	enum json_token token;

	while (reader->json.depth >= depth) {
		token = json_read_next(&reader->json);
		if (token == JSON_BROKEN || token == JSON_END || token == JSON_CLOSE)
			return;
		field(reader, token, to);
	}
}

/* What nobody asked for. */
static void skip(struct result_reader *reader, enum json_token token)
{
	if (token == JSON_OBJECT || token == JSON_ARRAY)
		json_read_skip(&reader->json);
}

static bool is_field(const struct result_reader *reader, const char *key)
{
	return json_span_is(reader->json.key, key);
}

static int hex(const char *at)
{
	int number = 0;

	for (int i = 0; i < 4; i++) {
		const char digit = at[i];
		int value = digit >= '0' && digit <= '9'   ? digit - '0'
			    : digit >= 'a' && digit <= 'f' ? digit - 'a' + 10
			    : digit >= 'A' && digit <= 'F' ? digit - 'A' + 10
							   : -1;

		if (value < 0)
			return -1;
		number = number << 4 | value;
	}
	return number;
}

/* The escape at `at`, behind its backslash; returns its length. */
static size_t unescape(const char *at, size_t left, char **to)
{
	static const char letters[] = "bfnrt", meanings[] = "\b\f\n\r\t";
	const char *letter = *at ? strchr(letters, *at) : NULL;
	int number = *at == 'u' && left > 4 ? hex(at + 1) : -1;
	size_t used = 1;

	if (number >= 0xd800 && number < 0xdc00 && left > 10 && at[5] == '\\' && at[6] == 'u') {
		int low = hex(at + 7);

		if (low >= 0xdc00 && low < 0xe000) {
			number = 0x10000 + ((number - 0xd800) << 10) + (low - 0xdc00);
			used += 6;
		}
	}
	if (number > 0) {
		*to += utf8_encode(*to, (uint32_t)number);
		return used + 4;
	}
	*(*to)++ = letter ? meanings[letter - letters] : *at;
	return 1;
}

/* NULL: not a text, or out of memory. */
static const char *text_of(struct result_reader *reader, enum json_token token)
{
	struct json_span value = reader->json.value;
	size_t len = value.len < MAX_TEXT ? value.len : MAX_TEXT;
	char *text, *to;

	if (token != JSON_TEXT) {
		skip(reader, token);
		return NULL;
	}
	text = to = arena_alloc(reader->arena, len + 5);
	reader->is_out_of_memory |= !text;
	for (size_t i = 0; text && i < len;) {
		if (value.start[i] == '\\' && i + 1 < len)
			i += 1 + unescape(value.start + i + 1, len - i - 1, &to);
		else
			*to++ = value.start[i++];
	}
	return text && *text ? text : NULL;
}

static double real_of(struct result_reader *reader, enum json_token token)
{
	char digits[MAX_DIGITS];

	if (token != JSON_NUMBER || reader->json.value.len >= sizeof digits) {
		skip(reader, token);
		return NAN;
	}
	memcpy(digits, reader->json.value.start, reader->json.value.len);
	digits[reader->json.value.len] = 0;
	return strtod(digits, NULL);
}

static double positive_of(struct result_reader *reader, enum json_token token)
{
	double value = real_of(reader, token);

	return value > 0 && value < 1e18 ? value : NAN;
}

static void read_latency(struct result_reader *reader, enum json_token token, void *to)
{
	struct diff_model *model = to;

	if (is_field(reader, "count"))
		model->n = (uint64_t)fmax(positive_of(reader, token), 0);
	else if (is_field(reader, "p50_ns"))
		model->figure[DIFF_MEDIAN] = positive_of(reader, token);
	else if (is_field(reader, "p99_ns"))
		model->figure[DIFF_P99] = positive_of(reader, token);
	else if (is_field(reader, "mean_ns"))
		model->figure[DIFF_MEAN] = positive_of(reader, token);
	else if (is_field(reader, "total_ns"))
		model->wall_ns = positive_of(reader, token);
	else
		skip(reader, token);
}

static void read_samples(struct result_reader *reader, enum json_token token, void *to)
{
	bool is_duration = is_field(reader, "duration_ns") && token == JSON_ARRAY;

	if (!is_duration) {
		skip(reader, token);
		return;
	}
	for (token = json_read_next(&reader->json); token != JSON_CLOSE && token != JSON_BROKEN && token != JSON_END;
	     token = json_read_next(&reader->json)) {
		uint64_t *duration;
		int64_t ns;

		if (token != JSON_NUMBER || !json_span_int(reader->json.value, &ns) || ns <= 0) {
			skip(reader, token);
			continue;
		}
		duration = array_add(&reader->durations, sizeof *duration);
		reader->is_out_of_memory |= !duration;
		if (duration)
			*duration = (uint64_t)ns;
	}
}

struct phase {
	const char *name;
	double ns;
};

static void read_phase(struct result_reader *reader, enum json_token token, void *to)
{
	struct phase *phase = to;

	if (is_field(reader, "name"))
		phase->name = text_of(reader, token);
	else if (is_field(reader, "self_ns"))
		phase->ns = positive_of(reader, token);
	else
		skip(reader, token);
}

static void read_phases(struct result_reader *reader, enum json_token token, void *to)
{
	struct diff_model *model = to;
	struct phase phase = { NULL, NAN };

	if (token != JSON_OBJECT) {
		skip(reader, token);
		return;
	}
	read_object(reader, read_phase, &phase);
	for (int i = 0; phase.name && i < N_PHASES; i++)
		if (!strcmp(phase.name, phase_names[i].words))
			model->figure[DIFF_PHASE + i] = phase.ns;
}

static void read_creation(struct result_reader *reader, enum json_token token, void *to)
{
	struct diff_model *model = to;

	if (is_field(reader, "duration_ns"))
		model->figure[DIFF_CREATION] = positive_of(reader, token);
	else if (is_field(reader, "unattributed_ns"))
		model->figure[DIFF_PHASE + PHASE_UNATTRIBUTED] = positive_of(reader, token);
	else if (is_field(reader, "phases") && token == JSON_ARRAY)
		read_object(reader, read_phases, to);
	else
		skip(reader, token);
}

struct listed {
	struct diff_operator op;
	double calls, mean_ns, interval_ns;
};

static void read_operator(struct result_reader *reader, enum json_token token, void *to)
{
	struct listed *listed = to;

	if (is_field(reader, "name"))
		listed->op.name = text_of(reader, token);
	else if (is_field(reader, "op_type"))
		listed->op.op_type = text_of(reader, token);
	else if (is_field(reader, "provider"))
		listed->op.provider = text_of(reader, token);
	else if (is_field(reader, "shapes"))
		listed->op.shapes = text_of(reader, token);
	else if (is_field(reader, "node"))
		listed->op.node = text_of(reader, token);
	else if (is_field(reader, "calls"))
		listed->calls = positive_of(reader, token);
	else if (is_field(reader, "p50_ns"))
		listed->op.median_ns = positive_of(reader, token);
	else if (is_field(reader, "mean_ns"))
		listed->mean_ns = positive_of(reader, token);
	else if (is_field(reader, "mean_interval_95_ns"))
		listed->interval_ns = positive_of(reader, token);
	else
		skip(reader, token);
}

/* Calls are divided by the number of inferences later. The order is not told: the list begins with the largest. */
static void read_list(struct result_reader *reader, enum json_token token, void *to)
{
	struct listed listed = { { 0 }, NAN, NAN, NAN };
	struct diff_operator *op;

	if (token != JSON_OBJECT) {
		skip(reader, token);
		return;
	}
	listed.op.median_ns = NAN;
	read_object(reader, read_operator, &listed);
	if (!(listed.op.median_ns > 0) || !(listed.calls > 0) || !listed.op.name)
		return;
	op = array_add(&reader->operators, sizeof *op);
	reader->is_out_of_memory |= !op;
	if (!op)
		return;
	*op = listed.op;
	op->node = op->node ? op->node : op->name;
	op->calls = listed.calls;
	op->typical_ns = op->median_ns;
	op->scatter = listed.interval_ns / 2 / listed.mean_ns;
	op->order = (uint32_t)reader->operators.n;
}

static void read_operators(struct result_reader *reader, enum json_token token, void *to)
{
	double *n_inferences = to;

	if (is_field(reader, "inferences"))
		*n_inferences = positive_of(reader, token);
	else if (is_field(reader, "list") && token == JSON_ARRAY)
		read_object(reader, read_list, NULL);
	else
		skip(reader, token);
}

struct result {
	struct diff_model model;
	const char *label, *error, *runtime, *version;
	double n_inferences, rss_bytes, cpus, run_queue_ns, steady_ns;
};

static void read_texts(struct result_reader *reader, enum json_token token, struct result *result)
{
	if (is_field(reader, "label"))
		result->label = text_of(reader, token);
	else if (is_field(reader, "error"))
		result->error = text_of(reader, token);
	else if (is_field(reader, "runtime"))
		result->runtime = result->model.runtime = text_of(reader, token);
	else if (is_field(reader, "version"))
		result->version = text_of(reader, token);
	else if (is_field(reader, "provider"))
		result->model.provider = text_of(reader, token);
	else if (is_field(reader, "options"))
		result->model.options = text_of(reader, token);
	else if (is_field(reader, "operators_missing"))
		result->model.operators_missing = text_of(reader, token);
	else
		skip(reader, token);
}

static void read_result(struct result_reader *reader, enum json_token token, void *to)
{
	struct result *result = to;
	struct diff_model *model = &result->model;

	if (is_field(reader, "latency") && token == JSON_OBJECT)
		read_object(reader, read_latency, model);
	else if (is_field(reader, "samples") && token == JSON_OBJECT)
		read_object(reader, read_samples, NULL);
	else if (is_field(reader, "creation") && token == JSON_OBJECT)
		read_object(reader, read_creation, model);
	else if (is_field(reader, "operators") && token == JSON_OBJECT)
		read_object(reader, read_operators, &result->n_inferences);
	else if (is_field(reader, "first_inference_ns"))
		model->figure[DIFF_FIRST] = positive_of(reader, token);
	else if (is_field(reader, "per_second"))
		model->figure[DIFF_RATE] = positive_of(reader, token);
	else if (is_field(reader, "failed_inferences"))
		model->n_failed = (uint64_t)fmax(positive_of(reader, token), 0);
	else if (is_field(reader, "event_ns"))
		model->event_ns = positive_of(reader, token);
	else if (is_field(reader, "peak_rss_bytes"))
		result->rss_bytes = positive_of(reader, token);
	else if (is_field(reader, "cpus_in_use"))
		result->cpus = positive_of(reader, token);
	else if (is_field(reader, "cpus_in_use_by_others"))
		reader->others_cpu = fmax(reader->others_cpu, real_of(reader, token));
	else
		read_texts(reader, token, result);
}

static void take_operators(struct result_reader *reader, struct result *result)
{
	struct diff_model *model = &result->model;
	size_t n = result->n_inferences > 0 ? reader->operators.n : 0;

	model->operators = arena_alloc(reader->arena, (n + 1) * sizeof *model->operators);
	reader->is_out_of_memory |= !model->operators;
	for (size_t i = 0; model->operators && i < n; i++) {
		model->operators[i] = ((const struct diff_operator *)reader->operators.data)[i];
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
static void take_scatter(struct result_reader *reader, struct diff_model *model)
{
	struct stats stats = { 0 };
	struct stats_typical typical = { 0 };

	for (size_t i = 0; i < reader->durations.n; i++)
		reader->is_out_of_memory |= stats_add(&stats, ((const uint64_t *)reader->durations.data)[i]) != 0;
	reader->is_out_of_memory |= stats_typical_of(&typical, &stats) != 0;
	model->scatter[DIFF_MEDIAN] = stats_typical_scatter(typical.block_ns, typical.n_blocks);
	stats_done(&stats);
}

static const char *join(struct result_reader *reader, const char *a, const char *between, const char *b)
{
	size_t size = strlen(a ? a : "") + strlen(between) + strlen(b ? b : "") + 1;
	char *text = arena_alloc(reader->arena, size);

	reader->is_out_of_memory |= !text;
	if (text)
		snprintf(text, size, "%s%s%s", a ? a : "", between, b ? b : "");
	return text ? text : "";
}

static void add_peak(struct result_reader *reader, const struct result *result)
{
	struct diff_resource *row = &reader->to->resources[reader->to->n_resources++];

	*row = (struct diff_resource){ result->label, "rss", "bytes", NAN, result->rss_bytes, NAN, 1 };
}

static void read_run(struct result_reader *reader, enum json_token token, void *to)
{
	struct result result = { .n_inferences = NAN, .rss_bytes = NAN, .cpus = NAN };
	struct diff_model *model;

	if (token != JSON_OBJECT) {
		skip(reader, token);
		return;
	}
	reader->operators.n = reader->durations.n = 0;
	diff_model_init(&result.model);
	read_object(reader, read_result, &result);
	take_operators(reader, &result);
	take_scatter(reader, &result.model);
	result.label = result.label ? result.label : "(run)";
	result.model.name = result.label;
	model = array_add(&reader->models, sizeof *model);
	reader->is_out_of_memory |= !model;
	if (!model || reader->is_out_of_memory)
		return;
	*model = result.model;
	if (result.runtime && !reader->to->fact[DIFF_RUNTIME])
		reader->to->fact[DIFF_RUNTIME] = join(reader, result.runtime, " ", result.version);
	reader->to->resources =
	    arena_grow(reader->arena, reader->to->resources, reader->to->n_resources * sizeof *reader->to->resources,
		       (reader->to->n_resources + 1) * sizeof *reader->to->resources);
	reader->is_out_of_memory |= !reader->to->resources;
	if (reader->to->resources)
		add_peak(reader, &result);
}

static void read_model(struct result_reader *reader, enum json_token token, void *to)
{
	if (is_field(reader, "name"))
		reader->model_name = text_of(reader, token);
	else
		skip(reader, token);
}

static void read_machine(struct result_reader *reader, enum json_token token, void *to)
{
	if (is_field(reader, "cpu"))
		reader->to->fact[DIFF_MACHINE] = text_of(reader, token);
	else if (is_field(reader, "cpus"))
		reader->n_cpus = positive_of(reader, token);
	else
		skip(reader, token);
}

static void read_top(struct result_reader *reader, enum json_token token, void *to)
{
	if (is_field(reader, "model") && token == JSON_OBJECT) {
		read_object(reader, read_model, NULL);
	} else if (is_field(reader, "machine") && token == JSON_OBJECT) {
		read_object(reader, read_machine, NULL);
	} else if (is_field(reader, "runs") && token == JSON_ARRAY) {
		reader->has_runs = true;
		read_object(reader, read_run, NULL);
	} else if (is_field(reader, "version")) {
		reader->to->fact[DIFF_VERSION] = text_of(reader, token);
	} else if (is_field(reader, "command")) {
		reader->to->fact[DIFF_COMMAND] = text_of(reader, token);
	} else {
		reader->is_recording |= is_field(reader, "recording");
		skip(reader, token);
	}
}

static int check(struct result_reader *reader, const char *text, struct err *err)
{
	if (reader->is_out_of_memory)
		return err_set(err, ENOMEM, "out of memory");
	if (reader->json.is_broken)
		return err_set(err, EBADMSG, "at byte %zu: the JSON is damaged or cut off; write it again",
			       (size_t)(reader->json.at - text));
	if (reader->is_recording)
		return err_set(err, EINVAL, "it is a report of a recording; give the recording itself");
	if (!reader->has_runs)
		return err_set(err, EINVAL, "it has no \"runs\"; give the JSON of inftrace model");
	return 0;
}

int diff_result_of(struct diff_run *run, const char *text, size_t len, struct arena *arena, struct err *err)
{
	struct result_reader reader = { .to = run, .arena = arena, .others_cpu = NAN, .n_cpus = NAN };
	int code;

	run->is_result = true;
	run->busy = NAN;
	run->fact[DIFF_KIND] = "result of inftrace model";
	json_read_init(&reader.json, text, len);
	if (json_read_next(&reader.json) == JSON_OBJECT)
		read_object(&reader, read_top, NULL);
	run->models = arena_alloc(arena, (reader.models.n + 1) * sizeof *run->models);
	reader.is_out_of_memory |= !run->models;
	for (size_t i = 0; run->models && i < reader.models.n; i++) {
		run->models[i] = ((const struct diff_model *)reader.models.data)[i];
		run->models[i].name =
		    join(&reader, reader.model_name, reader.model_name ? " on " : "", run->models[i].name);
	}
	run->n_models = run->models ? (uint32_t)reader.models.n : 0;
	/* the share of the CPUs that other programs used: the closest to pressure that a result has */
	if (reader.n_cpus > 0 && reader.others_cpu >= 0)
		run->busy = reader.others_cpu / reader.n_cpus;
	code = check(&reader, text, err);
	array_done(&reader.models, sizeof(struct diff_model));
	array_done(&reader.operators, sizeof(struct diff_operator));
	array_done(&reader.durations, sizeof(uint64_t));
	return code;
}
