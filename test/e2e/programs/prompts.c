/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prompts LIBRARY MODEL LENGTH...: a decoder of two layers takes prompts of these lengths, which begin alike, and makes
 * four tokens behind each, by the C API. Prints the last logit of each.
 */
#include <stdlib.h>
#include <string.h>

#include "ort.h"

enum { CACHES = 4, HEADS = 4, WIDTH = 16, WORDS = 1000, TOKENS = 4, FLOAT = 1, INT64 = 7 };

static const char *const inputs[] = { "input_ids", "past_key_values.0.key", "past_key_values.0.value",
				      "past_key_values.1.key", "past_key_values.1.value" };
static const char *const outputs[] = { "logits", "present.0.key", "present.0.value", "present.1.key",
				       "present.1.value" };
static struct ort ort;

static void check(void *status)
{
	if (status)
		die("a call", ((const char *(*)(void *))ort.api[ORT_ERROR_MESSAGE])(status));
}

static void *tensor(void *data, size_t size, const int64_t *shape, size_t rank, int type)
{
	void *value = NULL;

	check(((void *(*)(void *, void *, size_t, const int64_t *, size_t, int, void **))ort.api[ORT_CREATE_TENSOR])(
	    ort.memory, data, size, shape, rank, type, &value));
	return value;
}

static void release(void *value)
{
	((void (*)(void *))ort.api[ORT_RELEASE_VALUE])(value);
}

static void generate(struct model *model, int64_t n)
{
	int64_t ids[4096], shape[] = { 1, n };
	void *in[1 + CACHES], *out[1 + CACHES] = { NULL };
	float nothing[1], *logits;

	for (int64_t i = 0; i < n; i++)
		ids[i] = 3 + i;
	for (int i = 1; i <= CACHES; i++)
		in[i] = tensor(nothing, 0, (int64_t[]){ 1, HEADS, 0, WIDTH }, 4, FLOAT);
	for (int token = 0; token < TOKENS; token++) {
		in[0] = tensor(ids, (size_t)shape[1] * sizeof *ids, shape, 2, INT64);
		memset(out, 0, sizeof out);
		check(((void *(*)(void *, void *, const char *const *, void **, size_t, const char *const *, size_t,
				  void **))ort.api[ORT_RUN])(model->session, NULL, inputs, in, 1 + CACHES, outputs,
							     1 + CACHES, out));
		for (int i = 0; i <= CACHES; i++)
			release(in[i]);
		memcpy(in + 1, out + 1, CACHES * sizeof *in);
		check(((void *(*)(void *, float **))ort.api[ORT_TENSOR_DATA])(out[0], &logits));
		if (token + 1 == TOKENS)
			printf("%.4f\n", logits[shape[1] * WORDS - 1]);
		release(out[0]);
		shape[1] = 1;
	}
	for (int i = 1; i <= CACHES; i++)
		release(in[i]);
}

int main(int argc, char **argv)
{
	struct model model;

	if (argc < 4)
		return 2;
	ort_open(&ort, runtime_open(argv[1]));
	model_open(&model, &ort, argv[2], "1", 1);
	for (int i = 3; i < argc; i++)
		generate(&model, atol(argv[i]));
	model_close(&model);
	ort_close(&ort);
	runtime_close();
	return 0;
}
