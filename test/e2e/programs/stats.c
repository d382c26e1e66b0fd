/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stats LIBRARY MODEL SHAPE OUT_LEN N: runs a model N times, then writes what the arena of its session counts, a line
 * "NAME VALUE" each. For ONNX Runtime 1.23 and later.
 */
#include <stdlib.h>

#include "ort.h"

enum { ARENA = 1, CREATE_ALLOCATOR = 131, RELEASE_ALLOCATOR = 132, PAIRS = 298, RELEASE_PAIRS = 300, GET_STATS = 319 };

typedef void *create_memory(int type, int memory_type, void **out);
typedef void *create_allocator(const void *session, const void *memory, void **out);
typedef void *get_stats(const void *allocator, void **out);
typedef void get_pairs(const void *pairs, const char *const **keys, const char *const **values, size_t *n);
typedef void release(void *object);

static void check(void *status)
{
	if (status) {
		fputs("the runtime refuses\n", stderr);
		exit(1);
	}
}

static void print_stats(struct ort *ort, const struct model *model)
{
	const char *const *key, *const *value;
	void *memory, *allocator, *pairs;
	size_t n;

	check(((create_memory *)ort->api[ORT_CREATE_CPU_MEMORY])(ARENA, 0, &memory));
	check(((create_allocator *)ort->api[CREATE_ALLOCATOR])(model->session, memory, &allocator));
	check(((get_stats *)ort->api[GET_STATS])(allocator, &pairs));
	((get_pairs *)ort->api[PAIRS])(pairs, &key, &value, &n);
	for (size_t i = 0; i < n; i++)
		printf("%s %s\n", key[i], value[i]);
	((release *)ort->api[RELEASE_PAIRS])(pairs);
	((release *)ort->api[RELEASE_ALLOCATOR])(allocator);
	((release *)ort->api[ORT_RELEASE_MEMORY])(memory);
}

int main(int argc, char **argv)
{
	struct model model;
	struct ort ort;

	ort_open(&ort, runtime_open(argv[1]));
	model_open(&model, &ort, argv[2], argv[3], (size_t)atol(argv[4]));
	for (long i = 0; i < atol(argv[5]); i++)
		model_run(&model);
	print_stats(&ort, &model);
	model_close(&model);
	ort_close(&ort);
	return 0;
}
