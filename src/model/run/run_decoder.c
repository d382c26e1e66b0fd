// SPDX-License-Identifier: Apache-2.0
/*
 * A decoder in ONNX whose caches are inputs and outputs, in the loop that programs write around it: what an inference
 * returns as present goes into the next one as past. Uses ONNX Runtime alone, and no tokenizer.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/run/decoder_plan.h"
#include "model/run/run_generate.h"

/* One thread's requests. */
struct decoder {
	struct run *run;
	const struct decoder_plan *plan;
	size_t n_sequences, n_past, max_length;
	struct tensor *buffer;	/* by input: room for the longest; of caches none */
	struct ort_value **in;	/* by input */
	const char **out_name;	/* logits, then caches in the order of the inputs */
	struct ort_value **out; /* the same */
};

static bool is_cache(const struct decoder *decoder, size_t i)
{
	return decoder->plan->input[i].role == DECODER_CACHE;
}

/* Past and present of a cache are one buffer, which has its full length from the start. */
static bool is_shared(const struct decoder *decoder, size_t i)
{
	return is_cache(decoder, i) && decoder->run->folder.shares_buffer && decoder->plan->input[i].length_axis >= 0;
}

/* The size of dimension k of an input that is no cache, when n tokens go in. */
static int64_t size_of(const struct decoder *decoder, size_t i, size_t k, size_t n)
{
	const struct run_value *value = &decoder->run->input[i];
	bool is_last = k + 1 == value->n_dims;

	switch (decoder->plan->input[i].role) {
	case DECODER_IDS:
	case DECODER_POSITIONS:
		if (is_last)
			return (int64_t)n;
		return k + 2 == value->n_dims || value->dim[k] < 0 ? (int64_t)decoder->n_sequences : value->dim[k];
	case DECODER_EMBEDDINGS:
		return k == 0 ? (int64_t)decoder->n_sequences : k == 1 ? (int64_t)n : value->dim[2];
	case DECODER_MASK:
		return is_last ? (int64_t)(decoder->n_past + n) : (int64_t)decoder->n_sequences;
	default:
		return value->dim[k] < 0 ? (int64_t)decoder->n_sequences : value->dim[k];
	}
}

static size_t shape_of(const struct decoder *decoder, size_t i, size_t n, int64_t *dim)
{
	size_t n_elements = 1;

	for (size_t k = 0; k < decoder->run->input[i].n_dims; k++) {
		dim[k] = size_of(decoder, i, k, n);
		n_elements *= (size_t)dim[k];
	}
	return n_elements;
}

static void put(struct tensor *buffer, size_t i, int64_t value)
{
	if (buffer->type == TENSOR_INT64)
		((int64_t *)buffer->data)[i] = value;
	else if (buffer->type == TENSOR_INT32)
		((int32_t *)buffer->data)[i] = (int32_t)value;
	else
		((uint8_t *)buffer->data)[i] = value != 0;
}

static void fill(struct decoder *decoder, size_t i, const int64_t *ids, size_t n, size_t n_elements)
{
	struct tensor *buffer = &decoder->buffer[i];
	size_t total = decoder->n_past + n;

	switch (decoder->plan->input[i].role) {
	case DECODER_IDS:
		for (size_t k = 0; k < n_elements; k++)
			put(buffer, k, ids[k]);
		return;
	case DECODER_POSITIONS:
		for (size_t k = 0; k < n_elements; k++)
			put(buffer, k, (int64_t)(decoder->n_past + k % n));
		return;
	case DECODER_PAST_LENGTH:
	case DECODER_LAST_LENGTH:
	case DECODER_TOTAL_LENGTH:
		for (size_t k = 0; k < n_elements; k++)
			put(buffer, k,
			    decoder->plan->input[i].role == DECODER_PAST_LENGTH	  ? (int64_t)decoder->n_past
			    : decoder->plan->input[i].role == DECODER_LAST_LENGTH ? (int64_t)total - 1
										  : (int64_t)total);
		return;
	case DECODER_USE_CACHE:
		for (size_t k = 0; k < n_elements; k++)
			put(buffer, k, decoder->n_past > 0);
		return;
	case DECODER_EMBEDDINGS:
	case DECODER_MASK:
	case DECODER_KEEP_LOGITS:
	case DECODER_CACHE:
		return; /* as they were made */
	}
}

static int give_inputs(struct decoder *decoder, const int64_t *ids, size_t n, struct err *err)
{
	const struct ort_api *api = &decoder->run->api;
	int64_t dim[TENSOR_MAX_DIMS];

	for (size_t i = 0; i < decoder->run->n_inputs; i++) {
		const struct run_value *value = &decoder->run->input[i];
		struct tensor *buffer = &decoder->buffer[i];
		size_t n_elements;

		if (is_cache(decoder, i))
			continue;
		n_elements = shape_of(decoder, i, n, dim);
		fill(decoder, i, ids, n, n_elements);
		if (ort_api_check(api,
				  api->create_tensor_with_data(decoder->run->memory, buffer->data,
							       n_elements * tensor_type_info(buffer->type)->bits / 8,
							       dim, value->n_dims, tensor_type_to_ort(buffer->type),
							       &decoder->in[i]),
				  err, "give '%s' to the runtime", value->name))
			return -EIO;
	}
	return 0;
}

/* They are inputs, too. */
static void forget_shared(struct decoder *decoder)
{
	for (size_t i = 0, at = 1; i < decoder->run->n_inputs; i++) {
		if (is_shared(decoder, i))
			decoder->out[at] = NULL;
		at += is_cache(decoder, i);
	}
}

/* What came back goes in next time. The logits stay for a look at them. */
static void turn_caches(struct decoder *decoder)
{
	const struct ort_api *api = &decoder->run->api;
	size_t at = 1;

	forget_shared(decoder);
	for (size_t i = 0; i < decoder->run->n_inputs; i++) {
		if (is_shared(decoder, i)) {
			at++;
			continue;
		}
		api->release_value(decoder->in[i]);
		decoder->in[i] = NULL;
		if (!is_cache(decoder, i))
			continue;
		decoder->in[i] = decoder->out[at];
		decoder->out[at++] = NULL;
	}
}

static int infer(struct decoder *decoder, const int64_t *ids, size_t n, struct err *err)
{
	struct run *run = decoder->run;
	const struct ort_api *api = &run->api;

	if (give_inputs(decoder, ids, n, err))
		return -err->code;
	api->release_value(decoder->out[0]);
	decoder->out[0] = NULL;
	for (size_t i = 0, at = 1; i < run->n_inputs; i++)
		if (is_cache(decoder, i))
			decoder->out[at++] = is_shared(decoder, i) ? decoder->in[i] : NULL;
	if (ort_api_check(api,
			  api->run(run->session, run->run_options, run->input_name,
				   (const struct ort_value *const *)decoder->in, run->n_inputs, decoder->out_name,
				   decoder->plan->n_caches + 1, decoder->out),
			  err, "run the decoder on %zu tokens behind %zu", n, decoder->n_past)) {
		forget_shared(decoder);
		return -EIO;
	}
	turn_caches(decoder);
	decoder->n_past += n;
	return 0;
}

/* Of length 0, or of their fixed size and full of zeros. Shared buffers stay: what is in them counts up to n_past. */
static int empty_caches(struct decoder *decoder, struct err *err)
{
	const struct ort_api *api = &decoder->run->api;
	int64_t dim[TENSOR_MAX_DIMS];

	for (size_t i = 0; i < decoder->run->n_inputs; i++) {
		const struct decoder_input *input = &decoder->plan->input[i];
		const struct run_value *value = &decoder->run->input[i];
		size_t n_elements = 0, n_bytes = 0;
		void *data = NULL;

		if (!is_cache(decoder, i) || (is_shared(decoder, i) && decoder->in[i]))
			continue;
		for (int k = 0; k < (int)value->n_dims; k++)
			dim[k] = k == input->length_axis ? (is_shared(decoder, i) ? (int64_t)decoder->max_length : 0)
				 : value->dim[k] < 0	 ? (int64_t)decoder->n_sequences
							 : value->dim[k];
		api->release_value(decoder->in[i]);
		decoder->in[i] = NULL;
		if (tensor_measure(value->type, dim, value->n_dims, &n_elements, &n_bytes, err) ||
		    ort_api_check(api,
				  api->create_tensor(decoder->run->allocator, dim, value->n_dims,
						     tensor_type_to_ort(value->type), &decoder->in[i]),
				  err, "create the cache '%s'", value->name) ||
		    ort_api_check(api, api->tensor_data(decoder->in[i], &data), err, "create the cache '%s'",
				  value->name))
			return -err->code;
		if (n_bytes)
			memset(data, 0, n_bytes);
	}
	decoder->n_past = 0;
	return 0;
}

static int take_prompt(void *state, const int64_t *ids, size_t n, struct err *err)
{
	int rc = empty_caches(state, err);

	return rc ? rc : infer(state, ids, n, err);
}

static int take_token(void *state, const int64_t *ids, struct err *err)
{
	return infer(state, ids, 1, err);
}

/* The logits of the last call, by name and shape: [sequence, token, id] or [sequence, id]. Borrowed. */
static int look_at_logits(const struct decoder *decoder, struct tensor *logits, struct err *err)
{
	const struct run_value *output = &decoder->run->output[decoder->plan->logits];
	const struct ort_api *api = &decoder->run->api;
	struct tensor_bytes bytes = { 0 };
	struct ort_shape *shape = NULL;
	int64_t dim[TENSOR_MAX_DIMS];
	size_t n_dims = 0, n_elements;
	int rc;

	rc = ort_api_check(api, api->value_shape(decoder->out[0], &shape), err, "read the shape of '%s'", output->name);
	if (!rc)
		rc = ort_api_check(api, api->shape_n_dims(shape, &n_dims), err, "read the shape of '%s'", output->name);
	if (!rc && (n_dims < 2 || n_dims > 3))
		rc = err_set(err, ENOTSUP, "cannot use '%s' as logits: it has %zu dimensions", output->name, n_dims);
	if (!rc)
		rc = ort_api_check(api, api->shape_dims(shape, dim, n_dims), err, "read the shape of '%s'",
				   output->name);
	if (!rc)
		rc = ort_api_check(api, api->tensor_data(decoder->out[0], &bytes.data), err, "read '%s'", output->name);
	if (!rc)
		rc = tensor_measure(output->type, dim, n_dims, &n_elements, &bytes.size_bytes, err);
	if (!rc && !n_elements)
		rc = err_set(err, ENOTSUP, "cannot use '%s' as logits: it is empty", output->name);
	if (!rc)
		rc = tensor_borrow(logits, output->type, dim, n_dims, &bytes, err);
	api->release_shape(shape);
	return rc;
}

static int check(void *state, struct err *err)
{
	const struct decoder *decoder = state;
	struct tensor logits;
	size_t n_ids, n_rows;
	int rc = look_at_logits(decoder, &logits, err);

	if (rc)
		return rc;
	n_ids = (size_t)logits.dims[logits.n_dims - 1];
	n_rows = logits.n_dims == 3 ? (size_t)logits.dims[1] : 1;
	for (size_t sequence = 0; sequence < (size_t)logits.dims[0]; sequence++)
		for (size_t id = 0; id < n_ids; id++)
			if (isnan(tensor_get(&logits, ((sequence + 1) * n_rows - 1) * n_ids + id, 0)))
				return err_set(
				    err, EDOM,
				    "cannot use the decoder: its logits are not numbers (NaN) after %zu tokens",
				    decoder->n_past);
	return 0;
}

static int make_buffer(struct decoder *decoder, size_t i, size_t max_length, struct err *err)
{
	static const struct tensor_fill uniform = { .seed = 1 };
	const struct run_value *value = &decoder->run->input[i];
	struct tensor *buffer = &decoder->buffer[i];
	enum decoder_role role = decoder->plan->input[i].role;
	int64_t dim[TENSOR_MAX_DIMS];
	int rc;

	if (role == DECODER_CACHE)
		return 0;
	if (role == DECODER_EMBEDDINGS && value->dim[2] < 0)
		return err_set(err, ENOTSUP, "cannot run the decoder: the size of the vectors of '%s' is not known",
			       value->name);
	shape_of(decoder, i, max_length, dim);
	rc = tensor_alloc(buffer, value->type, dim, value->n_dims, err);
	if (!rc && role == DECODER_EMBEDDINGS)
		return tensor_fill(buffer, &uniform, value->name, err);
	for (size_t k = 0; !rc && k < buffer->n_elements; k++)
		put(buffer, k, role == DECODER_MASK || role == DECODER_KEEP_LOGITS);
	return rc;
}

static void free_decoder(void *state)
{
	struct decoder *decoder = state;

	if (!decoder)
		return;
	for (size_t i = 0; decoder->in && i < decoder->run->n_inputs; i++)
		decoder->run->api.release_value(decoder->in[i]);
	for (size_t i = 0; decoder->buffer && i < decoder->run->n_inputs; i++)
		tensor_done(&decoder->buffer[i]);
	for (size_t i = 0; decoder->out && i <= decoder->plan->n_caches; i++)
		decoder->run->api.release_value(decoder->out[i]);
	free(decoder->buffer);
	free(decoder->in);
	free(decoder->out);
	free(decoder->out_name);
	free(decoder);
}

static void *make_decoder(struct run *run, size_t n_sequences, size_t max_length, struct err *err)
{
	const struct decoder_plan *plan = run->decoder;
	struct decoder *decoder = calloc(1, sizeof *decoder);
	size_t at = 1;

	if (!decoder)
		goto out_of_memory;
	*decoder = (struct decoder){ .run = run, .plan = plan, .n_sequences = n_sequences, .max_length = max_length };
	decoder->buffer = calloc(run->n_inputs + 1, sizeof *decoder->buffer);
	decoder->in = calloc(run->n_inputs + 1, sizeof *decoder->in);
	decoder->out = calloc(plan->n_caches + 1, sizeof *decoder->out);
	decoder->out_name = calloc(plan->n_caches + 1, sizeof *decoder->out_name);
	if (!decoder->buffer || !decoder->in || !decoder->out || !decoder->out_name)
		goto out_of_memory;
	decoder->out_name[0] = run->output[plan->logits].name;
	for (size_t i = 0; i < run->n_inputs; i++) {
		if (is_cache(decoder, i))
			decoder->out_name[at++] = run->output[plan->input[i].output].name;
		if (make_buffer(decoder, i, max_length, err)) {
			free_decoder(decoder);
			return NULL;
		}
	}
	return decoder;

out_of_memory:
	free_decoder(decoder);
	err_no_memory(err, "cannot run the decoder");
	return NULL;
}

/* Where the model does not declare it, an inference of one token shows it. */
static int find_vocabulary(struct run *run, int64_t *n_ids, struct err *err)
{
	const int64_t id = 0;
	struct decoder *decoder;
	struct tensor logits;
	int rc;

	decoder = make_decoder(run, 1, 1, err);
	if (!decoder)
		return -err->code;
	rc = take_prompt(decoder, &id, 1, err);
	rc = rc ? rc : look_at_logits(decoder, &logits, err);
	*n_ids = rc ? 0 : logits.dims[logits.n_dims - 1];
	free_decoder(decoder);
	return rc;
}

static int open_decoder(struct run *run, struct run_vocabulary *vocabulary, struct err *err)
{
	struct decoder_plan *plan = run->decoder = calloc(1, sizeof *plan);
	const struct run_value *logits, *ids;
	int rc;

	if (!plan)
		return err_no_memory(err, "cannot run the decoder");
	rc = decoder_plan_make(plan, run, err);
	if (rc)
		return rc;
	logits = &run->output[plan->logits];
	ids = &run->input[plan->ids];
	vocabulary->n_sequences = ids->n_dims == 1 ? 1 : ids->dim[0] > 0 ? ids->dim[0] : 0;
	vocabulary->max_length = run->folder.context_length;
	vocabulary->n_ids = logits->dim[logits->n_dims - 1];
	return vocabulary->n_ids > 0 ? 0 : find_vocabulary(run, &vocabulary->n_ids, err);
}

static void close_decoder(struct run *run)
{
	if (!run->decoder)
		return;
	decoder_plan_done(run->decoder);
	free(run->decoder);
	run->decoder = NULL;
}

const struct run_generator run_generator_onnx = {
	.open = open_decoder,
	.close = close_decoder,
	.make = make_decoder,
	.free = free_decoder,
	.take_prompt = take_prompt,
	.take_token = take_token,
	.check = check,
};
