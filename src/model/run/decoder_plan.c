// SPDX-License-Identifier: Apache-2.0
/* Recognises what each input of an ONNX decoder takes. Guesses nothing: an input that is not recognised is an error. */
#include "model/run/decoder_plan.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { NAME = 256 };

static bool is_integer(const struct run_value *value)
{
	return value->kind == ORT_TENSOR && (value->type == TENSOR_INT64 || value->type == TENSOR_INT32);
}

static bool is_real(const struct run_value *value)
{
	return value->kind == ORT_TENSOR && (value->type == TENSOR_FLOAT || value->type == TENSOR_FLOAT16 ||
					     value->type == TENSOR_BFLOAT16 || value->type == TENSOR_DOUBLE);
}

/* Inputs of integers, by a part of their names; the first that matches counts. */
static const struct {
	const char *part;
	enum decoder_role role;
	size_t most_dims;
} known[] = {
	{ "position", DECODER_POSITIONS, 3 }, /* position_ids, cache_position */
	{ "mask", DECODER_MASK, 2 },
	{ "logits_to_keep", DECODER_KEEP_LOGITS, 1 },
	{ "seqlens_k", DECODER_LAST_LENGTH, 1 },
	{ "past_seq", DECODER_PAST_LENGTH, 1 },
	{ "total_seq", DECODER_TOTAL_LENGTH, 1 },
	{ "input_ids", DECODER_IDS, 2 },
	{ "tokens", DECODER_IDS, 2 },
};

static bool find_integer_role(const struct run_value *value, enum decoder_role *role)
{
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		*role = known[i].role;
		if (strcasestr(value->name, known[i].part))
			return value->n_dims <= known[i].most_dims &&
			       (known[i].role != DECODER_IDS || value->n_dims > 0) &&
			       (known[i].role != DECODER_MASK || value->n_dims == 2);
	}
	*role = DECODER_IDS;
	return (!strcasecmp(value->name, "input") || !strcasecmp(value->name, "ids")) && value->n_dims > 0 &&
	       value->n_dims <= 2;
}

static bool find_role(const struct run_value *value, enum decoder_role *role)
{
	if (is_integer(value))
		return find_integer_role(value, role);
	if (value->kind == ORT_TENSOR && value->type == TENSOR_BOOL && strcasestr(value->name, "use_cache")) {
		*role = DECODER_USE_CACHE;
		return value->n_dims <= 1;
	}
	*role = DECODER_EMBEDDINGS;
	return is_real(value) && value->n_dims == 3 && strcasestr(value->name, "embed");
}

static bool is_digit(char c)
{
	return isdigit((unsigned char)c);
}

/* Words by which the two ends of a cache differ, and marks between words: not those between numbers. False: too long.
 */
static bool strip(const char *name, char *text)
{
	static const char *const words[] = { "past_key_values", "present_key_values", "past", "present", "new",
					     "updated" };
	size_t n = 0;

	while (*name && n < NAME - 2) {
		size_t len = 0;

		for (size_t i = 0; i < sizeof words / sizeof *words && !len; i++)
			if (!strncasecmp(name, words[i], strlen(words[i])))
				len = strlen(words[i]);
		if (!len && isalnum((unsigned char)*name)) {
			if (n && is_digit(text[n - 1]) && is_digit(*name) && !is_digit(name[-1]))
				text[n++] = '.';
			text[n++] = *name;
		}
		name += len ? len : 1;
	}
	text[n] = 0;
	return !*name;
}

static bool may_be_cache(const struct run_value *input, const struct run_value *output)
{
	if (!is_real(input) || !is_real(output) || input->type != output->type || input->n_dims != output->n_dims ||
	    input->n_dims < 3)
		return false;
	for (size_t i = 0; i < input->n_dims; i++)
		if (input->dim[i] >= 0 && output->dim[i] >= 0 && input->dim[i] != output->dim[i])
			return false;
	return true;
}

static bool has_words(const char *name)
{
	return strcasestr(name, "past") || strcasestr(name, "present") || strcasestr(name, "cache") ||
	       strcasestr(name, "key") || strcasestr(name, "value") || strcasestr(name, "state");
}

/* The output that becomes this input: of the same name but for "past" and "present". n_outputs: none. */
static size_t partner_of(const struct run *run, const struct run_value *input)
{
	char own[NAME], other[NAME];

	if (!strip(input->name, own))
		return run->n_outputs;
	for (size_t i = 0; i < run->n_outputs; i++) {
		if (strip(run->output[i].name, other) && !strcasecmp(own, other) &&
		    may_be_cache(input, &run->output[i]) && has_words(input->name))
			return i;
	}
	return run->n_outputs;
}

static bool is_length(const char *symbol)
{
	return strcasestr(symbol, "past") || strcasestr(symbol, "seq") || strcasestr(symbol, "len") ||
	       strcasestr(symbol, "total");
}

/* The batch is the free dimension called like that of the ids, the length one that is called so; else by order. */
static void find_axes(const struct run_value *ids, const struct run_value *cache, struct decoder_input *to)
{
	const char *batch = ids->n_dims > 1 && ids->dim[0] < 0 ? ids->symbol[0] : "";
	int last = -1, n_free = 0;

	to->batch_axis = to->length_axis = -1;
	for (int i = 0; i < (int)cache->n_dims; i++) {
		if (cache->dim[i] >= 0)
			continue;
		n_free++;
		last = i;
		if (to->batch_axis < 0 && *batch && !strcmp(cache->symbol[i], batch))
			to->batch_axis = i;
		else if (is_length(cache->symbol[i]))
			to->length_axis = i;
	}
	if (to->length_axis < 0 && last >= 0 && last != to->batch_axis && (n_free > 1 || last > 0))
		to->length_axis = last;
	for (int i = 0; i < (int)cache->n_dims && to->batch_axis < 0; i++)
		if (cache->dim[i] < 0 && i != to->length_axis)
			to->batch_axis = i;
}

static int refuse(const struct run *run, struct err *err, const char *why)
{
	return err_set(err, ENOTSUP, "cannot run %s as a decoder: %s", run->opts->model, why);
}

static int find_logits(struct decoder_plan *plan, const struct run *run, struct err *err)
{
	bool *is_cache = calloc(run->n_outputs + 1, sizeof *is_cache), is_double = false;

	if (!is_cache)
		return err_no_memory(err, "cannot run the decoder");
	plan->logits = run->n_outputs;
	for (size_t i = 0; i < run->n_inputs; i++)
		if (plan->input[i].role == DECODER_CACHE && plan->input[i].output < run->n_outputs) {
			is_double |= is_cache[plan->input[i].output];
			is_cache[plan->input[i].output] = true;
		}
	for (size_t i = 0; i < run->n_outputs; i++) {
		const struct run_value *output = &run->output[i];

		if (is_cache[i] || !is_real(output) || output->n_dims < 2 || output->n_dims > 3)
			continue;
		if (plan->logits == run->n_outputs || strcasestr(output->name, "logits"))
			plan->logits = i;
	}
	free(is_cache);
	if (is_double)
		return refuse(run, err, "one output looks like that of two caches");
	return plan->logits < run->n_outputs ? 0 : refuse(run, err, "no output looks like logits");
}

static int find_ids(struct decoder_plan *plan, const struct run *run, struct err *err)
{
	plan->ids = run->n_inputs;
	for (size_t i = 0; i < run->n_inputs; i++)
		if (plan->input[i].role == DECODER_IDS || plan->input[i].role == DECODER_EMBEDDINGS) {
			if (plan->ids < run->n_inputs)
				return refuse(run, err, "two inputs look like those of token ids");
			plan->ids = i;
		}
	if (plan->ids == run->n_inputs)
		return refuse(run, err, "no input takes token ids (input_ids) or their vectors (inputs_embeds)");
	if (!plan->n_caches)
		return refuse(run, err,
			      "no input is a cache that an output becomes, such as past_key_values.0.key and "
			      "present.0.key; export it with a cache");
	return find_logits(plan, run, err);
}

static int refuse_input(const struct run *run, const struct run_value *input, struct err *err)
{
	return err_set(err, ENOTSUP,
		       strcasestr(input->name, "encoder")
			   ? "cannot run %s as a decoder: its input '%s' continues what an encoder made"
			   : "cannot run %s as a decoder: it is not known what its input '%s' takes",
		       run->opts->model, input->name);
}

int decoder_plan_make(struct decoder_plan *plan, const struct run *run, struct err *err)
{
	const struct run_value *unknown = NULL;

	memset(plan, 0, sizeof *plan);
	plan->input = calloc(run->n_inputs + 1, sizeof *plan->input);
	if (!plan->input)
		return err_no_memory(err, "cannot run the decoder");
	for (size_t i = 0; i < run->n_inputs; i++) {
		struct decoder_input *to = &plan->input[i];
		const struct run_value *input = &run->input[i];

		to->output = partner_of(run, input);
		if (to->output < run->n_outputs) {
			to->role = DECODER_CACHE;
			plan->n_caches++;
		} else if (!find_role(input, &to->role)) {
			unknown = unknown ? unknown : input;
			to->role = DECODER_CACHE; /* until it is refused */
			to->output = run->n_outputs;
		}
	}
	if (find_ids(plan, run, err))
		return -err->code;
	if (unknown)
		return refuse_input(run, unknown, err);
	for (size_t i = 0; i < run->n_inputs; i++)
		if (plan->input[i].role == DECODER_CACHE)
			find_axes(&run->input[plan->ids], &run->input[i], &plan->input[i]);
	return 0;
}

void decoder_plan_done(struct decoder_plan *plan)
{
	free(plan->input);
	memset(plan, 0, sizeof *plan);
}
