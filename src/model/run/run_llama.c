// SPDX-License-Identifier: Apache-2.0
/*
 * A decoder in a GGUF file, by llama.cpp: each thread has a context of its own, and the sequences of a batch are those
 * of one context. Runs on the CPU alone.
 */
#include "model/run/run_llama.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/run/llama_api.h"
#include "model/run/provider_names.h"

/* run->decoder */
struct loaded {
	struct llama_api llama;
	struct llama_model *model;
	int64_t n_ids;
};

/* One thread's requests. */
struct requests {
	const struct loaded *of;
	struct llama_context *context;
	struct llama_batch batch; /* room for n_room tokens */
	int32_t *sequence;	  /* number of each, for batch.seq_id to point at */
	size_t n_room, n_sequences, n_past;
};

/* The reasons of failures; the rest is many lines of what the model is. */
static void take_log(int level, const char *text, void *ctx)
{
	if (strcasestr(text, "error") || strcasestr(text, "fail"))
		run_log_line(text);
}

static int32_t n_cpus(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
}

static int check_options(const struct run_opts *opts, struct err *err)
{
	if (opts->policy || opts->provider.n > 1 ||
	    (opts->provider.n && strcmp(provider_names_full(opts->provider.item[0]), "CPUExecutionProvider")))
		return err_set(err, EINVAL,
			       "cannot use --ep or --policy with a GGUF file: llama.cpp runs it on the CPU");
	if (!opts->tokens)
		return err_set(err, EINVAL, "cannot run the GGUF file %s without --tokens", opts->model);
	return 0;
}

int run_llama_load(struct run *run, struct err *err)
{
	struct run_result *result = run->result;
	struct loaded *of = run->decoder = calloc(1, sizeof *of);
	struct llama_api *llama = &of->llama;
	int rc = of ? check_options(run->opts, err) : err_no_memory(err, "cannot load llama.cpp");

	rc = rc ? rc : llama_api_open(llama, run->opts->runtime, err);
	if (rc)
		return rc;
	llama->log_set(take_log, NULL);
	llama_api_load_backends(llama);
	snprintf(result->runtime_path, sizeof result->runtime_path, "%s", llama->path);
	if (llama->version)
		snprintf(result->runtime_version, sizeof result->runtime_version, "%s", llama->version());
	else if (llama->ggml_version)
		snprintf(result->runtime_version, sizeof result->runtime_version, "(ggml %s)", llama->ggml_version());
	llama->backend_init();
	if (llama->uses_gpu())
		return err_set(err, ENOTSUP,
			       "cannot run %s: this llama.cpp computes on a GPU, which is not supported here; set "
			       "INFTRACE_LLAMA to one for the CPU",
			       run->opts->model);
	return 0;
}

int run_llama_session(struct run *run, struct err *err)
{
	struct loaded *of = run->decoder;

	if (access(run->opts->model, R_OK))
		return err_set(err, errno, "cannot read the model %s: %s", run->opts->model, strerror(errno));
	of->model = of->llama.load(run->opts->model, of->llama.model_params());
	if (!of->model)
		return err_set(err, EINVAL, "cannot load the model %s: llama.cpp rejects it", run->opts->model);
	return 0;
}

void run_llama_unload(struct run *run)
{
	struct loaded *of = run->decoder;

	if (of && of->model)
		of->llama.free_model(of->model);
	free(of);
	run->decoder = NULL;
}

static int open_model(struct run *run, struct run_vocabulary *vocabulary, struct err *err)
{
	struct loaded *of = run->decoder;
	const struct llama_api *llama = &of->llama;

	if (llama->has_encoder(of->model))
		return err_set(err, ENOTSUP, "cannot run %s as a decoder: it begins with an encoder", run->opts->model);
	of->n_ids = llama->vocab && llama->vocab_n_ids ? llama->vocab_n_ids(llama->vocab(of->model))
						       : llama->model_n_ids(of->model);
	vocabulary->n_ids = of->n_ids;
	vocabulary->max_length = llama->train_length(of->model);
	return 0;
}

static void free_requests(void *state)
{
	struct requests *requests = state;

	if (!requests)
		return;
	if (requests->context)
		requests->of->llama.free_context(requests->context);
	free(requests->batch.token);
	free(requests->batch.pos);
	free(requests->batch.n_seq_id);
	free(requests->batch.seq_id);
	free(requests->batch.logits);
	free(requests->sequence);
	free(requests);
}

static bool make_batch(struct requests *requests)
{
	struct llama_batch *batch = &requests->batch;
	size_t n = requests->n_room;

	batch->token = calloc(n, sizeof *batch->token);
	batch->pos = calloc(n, sizeof *batch->pos);
	batch->n_seq_id = calloc(n, sizeof *batch->n_seq_id);
	batch->seq_id = calloc(n + 1, sizeof *batch->seq_id);
	batch->logits = calloc(n, sizeof *batch->logits);
	requests->sequence = calloc(requests->n_sequences, sizeof *requests->sequence);
	if (!batch->token || !batch->pos || !batch->n_seq_id || !batch->seq_id || !batch->logits || !requests->sequence)
		return false;
	for (size_t i = 0; i < requests->n_sequences; i++)
		requests->sequence[i] = (int32_t)i;
	return true;
}

static int make_context(struct requests *requests, const struct run *run, size_t max_length, struct err *err)
{
	const struct llama_api *llama = &requests->of->llama;
	struct llama_block params = llama->context_params();
	/* whole blocks of cells for each sequence, as some versions round them */
	struct llama_sizes sizes = { .n_ctx = (uint32_t)((max_length + 255) / 256 * 256 * requests->n_sequences),
				     .n_seq_max = (uint32_t)requests->n_sequences };
	int32_t n_threads = run->opts->intra_op_threads > 0 ? run->opts->intra_op_threads : n_cpus();

	if (!llama_api_set_sizes(&params, &sizes))
		return err_set(err, ENOTSUP, "cannot use this llama.cpp: the parameters of its contexts are not known");
	requests->n_room = sizes.n_batch;
	if (requests->n_sequences > sizes.n_batch)
		return err_set(err, EINVAL, "cannot run %zu sequences in a batch of llama.cpp: it takes %u tokens",
			       requests->n_sequences, sizes.n_batch);
	requests->context = llama->new_context(requests->of->model, params);
	if (!requests->context)
		return err_set(err, ENOMEM, "cannot make a context of llama.cpp for %u tokens", sizes.n_ctx);
	llama->set_threads(requests->context, n_threads, n_threads);
	return 0;
}

static void *make_requests(struct run *run, size_t n_sequences, size_t max_length, struct err *err)
{
	struct requests *requests = calloc(1, sizeof *requests);

	if (!requests) {
		err_no_memory(err, "cannot run the decoder");
		return NULL;
	}
	requests->of = run->decoder;
	requests->n_sequences = n_sequences;
	if (!make_context(requests, run, max_length, err)) {
		if (make_batch(requests))
			return requests;
		err_no_memory(err, "cannot run the decoder");
	}
	free_requests(requests);
	return NULL;
}

static void add(struct requests *requests, int64_t id, size_t pos, size_t sequence, bool with_logits)
{
	struct llama_batch *batch = &requests->batch;
	int32_t i = batch->n_tokens++;

	batch->token[i] = (int32_t)id;
	batch->pos[i] = (int32_t)pos;
	batch->n_seq_id[i] = 1;
	batch->seq_id[i] = &requests->sequence[sequence];
	batch->logits[i] = with_logits;
}

static int decode(struct requests *requests, struct err *err)
{
	const struct llama_api *llama = &requests->of->llama;
	int32_t code = llama->decode(requests->context, requests->batch);

	if (code)
		return err_set(err, EIO, "cannot run the decoder on %d tokens behind %zu: llama.cpp returned %d",
			       requests->batch.n_tokens, requests->n_past, code);
	llama->synchronize(requests->context);
	return 0;
}

/* In as few batches as llama.cpp takes. Logits are made for the last token of each sequence. */
static int take_prompt(void *state, const int64_t *ids, size_t n, struct err *err)
{
	struct requests *requests = state;
	const struct llama_api *llama = &requests->of->llama;
	int rc = 0;

	if (llama->memory && llama->clear_memory)
		llama->clear_memory(llama->memory(requests->context), true);
	else
		llama->clear_context(requests->context);
	requests->batch.n_tokens = 0;
	requests->n_past = 0;
	for (size_t sequence = 0; sequence < requests->n_sequences && !rc; sequence++)
		for (size_t i = 0; i < n && !rc; i++) {
			bool is_end = sequence + 1 == requests->n_sequences && i + 1 == n;

			add(requests, ids[sequence * n + i], i, sequence, i + 1 == n);
			if (!is_end && (size_t)requests->batch.n_tokens < requests->n_room)
				continue;
			rc = decode(requests, err);
			if (!is_end)
				requests->batch.n_tokens = 0;
		}
	requests->n_past = n;
	return rc;
}

static int take_token(void *state, const int64_t *ids, struct err *err)
{
	struct requests *requests = state;
	int rc;

	requests->batch.n_tokens = 0;
	for (size_t sequence = 0; sequence < requests->n_sequences; sequence++)
		add(requests, ids[sequence], requests->n_past, sequence, true);
	rc = decode(requests, err);
	requests->n_past++;
	return rc;
}

static int check(void *state, struct err *err)
{
	const struct requests *requests = state;
	const float *logits = requests->of->llama.logits(requests->context, requests->batch.n_tokens - 1);

	for (int64_t id = 0; logits && id < requests->of->n_ids; id++)
		if (isnan(logits[id]))
			return err_set(err, EDOM,
				       "cannot use the decoder: its logits are not numbers (NaN) after %zu tokens",
				       requests->n_past);
	return logits ? 0 : err_set(err, EIO, "cannot use the decoder: llama.cpp returned no logits");
}

const struct run_generator run_generator_llama = {
	.open = open_model,
	.close = run_llama_unload,
	.make = make_requests,
	.free = free_requests,
	.take_prompt = take_prompt,
	.take_token = take_token,
	.check = check,
};
