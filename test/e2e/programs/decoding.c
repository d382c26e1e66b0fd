/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decoding LIBRARY MODEL HOW TIMES: eight generations by the C API, a token of each in an order that changes. HOW:
 * values (they are handed over), bound (they are bound to the session). The model is decoder() of models.py, with two
 * layers. Prints the tokens. Writes to TIMES, for each generation: the length of its prompt, and begin and end of each
 * call that made a token, as JSON.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ort.h"

enum { SIDE = 8, PROMPT = 16, TOKENS = 30, CACHES = 4, WORDS = 1000, INT64 = 7, FLOAT = 1 };
enum { BIND_OUTPUT_TO_DEVICE = 138, BOUND_OUTPUTS = 140, DEFAULT_ALLOCATOR = 78 };

#define CALL(slot, types, args) must(((void *(*)types)ort.api[slot])args)

static const char *const inputs[] = { "input_ids", "past_key_values.0.key", "past_key_values.0.value",
				      "past_key_values.1.key", "past_key_values.1.value" };
static const char *const outputs[] = { "logits", "present.0.key", "present.0.value", "present.1.key",
				       "present.1.value" };

static struct generation {
	void *past[CACHES];
	int64_t next[PROMPT];
	size_t n_next;
	uint64_t times[TOKENS][2];
	int64_t tokens[TOKENS];
} all[SIDE];

static struct ort ort;
static struct model model;
static bool is_bound;

static void must(void *status)
{
	if (status)
		die("runtime", ((const char *(*)(void *))ort.api[ORT_ERROR_MESSAGE])(status));
}

static void release(void *value)
{
	((void (*)(void *))ort.api[ORT_RELEASE_VALUE])(value);
}

static void *tensor(void *data, size_t size, const int64_t *shape, size_t n_dims, int type)
{
	void *value;

	CALL(ORT_CREATE_TENSOR, (void *, void *, size_t, const int64_t *, size_t, int, void **),
	     (ort.memory, data, size, shape, n_dims, type, &value));
	return value;
}

static void run_bound(void **in, void **out)
{
	void *binding, *allocator, **results;
	size_t n;

	CALL(ORT_CREATE_BINDING, (void *, void **), (model.session, &binding));
	CALL(DEFAULT_ALLOCATOR, (void **), (&allocator));
	for (int i = 0; i < 1 + CACHES; i++) {
		CALL(ORT_BIND_INPUT, (void *, const char *, void *), (binding, inputs[i], in[i]));
		CALL(BIND_OUTPUT_TO_DEVICE, (void *, const char *, void *), (binding, outputs[i], ort.memory));
	}
	CALL(ORT_RUN_WITH_BINDING, (void *, void *, void *), (model.session, NULL, binding));
	CALL(BOUND_OUTPUTS, (void *, void *, void ***, size_t *), (binding, allocator, &results, &n));
	memcpy(out, results, n * sizeof *results);
	((void (*)(void *))ort.api[ORT_RELEASE_BINDING])(binding);
}

static void step(struct generation *own, int number)
{
	void *in[1 + CACHES], *out[1 + CACHES] = { NULL };
	float *logits;
	int64_t best = 0;

	in[0] = tensor(own->next, own->n_next * 8, (int64_t[]){ 1, (int64_t)own->n_next }, 2, INT64);
	memcpy(in + 1, own->past, sizeof own->past);
	own->times[number][0] = now_ns();
	if (is_bound)
		run_bound(in, out);
	else
		CALL(ORT_RUN,
		     (void *, void *, const char *const *, void **, size_t, const char *const *, size_t, void **),
		     (model.session, NULL, inputs, in, 1 + CACHES, outputs, 1 + CACHES, out));
	own->times[number][1] = now_ns();
	CALL(ORT_TENSOR_DATA, (void *, void **), (out[0], (void **)&logits));
	logits += (own->n_next - 1) * WORDS;
	for (int64_t i = 1; i < WORDS; i++)
		best = logits[i] > logits[best] ? i : best;
	for (int i = 0; i < 1 + CACHES; i++)
		release(in[i]);
	release(out[0]);
	memcpy(own->past, out + 1, sizeof own->past);
	own->tokens[number] = own->next[0] = best;
	own->n_next = 1;
}

static void write_times(const char *path)
{
	FILE *to = fopen(path, "w");

	for (int i = 0; i < SIDE; i++) {
		fprintf(to, "%c[%d,", i ? ',' : '[', PROMPT);
		for (int k = 0; k < TOKENS; k++)
			fprintf(to, "%c[%lu,%lu]", k ? ',' : '[', all[i].times[k][0], all[i].times[k][1]);
		fprintf(to, "]]");
	}
	fprintf(to, "]\n");
	fclose(to);
}

int main(int argc, char **argv)
{
	static float nothing[1];
	uint32_t random = 12345;

	is_bound = argc == 5 && !strcmp(argv[3], "bound");
	ort_open(&ort, runtime_open(argv[1]));
	model_open(&model, &ort, argv[2], "1", 1);
	for (int i = 0; i < SIDE; i++) {
		for (int k = 0; k < CACHES; k++)
			all[i].past[k] = tensor(nothing, 0, (int64_t[]){ 1, 4, 0, 16 }, 4, FLOAT);
		for (int k = 0; k < PROMPT; k++)
			all[i].next[k] = 3 + 31 * i + k;
		all[i].n_next = PROMPT;
	}
	for (int number = 0; number < TOKENS; number++) {
		random = random * 1664525 + 1013904223;
		for (int i = 0; i < SIDE; i++) /* an odd factor: each comes once */
			step(&all[(i * (random >> 9 | 1) + (random >> 20)) % SIDE], number);
	}
	for (int i = 0; i < SIDE; i++)
		for (int k = 0; k < TOKENS; k++)
			printf("%ld%c", all[i].tokens[k], k + 1 < TOKENS ? ' ' : '\n');
	write_times(argv[4]);
	return 0;
}
