// SPDX-License-Identifier: Apache-2.0
/*
 * model_run CPU LIBRARY [MODEL [PROFILE]]: a player (player.h) that runs a model with ONNX Runtime, on one thread.
 * Without a model it only prepares to create sessions. An ordinary program that opens the runtime's library and calls
 * its functions by their slot in the API's table. Inputs are float tensors; free dimensions are 1. With PROFILE the
 * runtime's own profiler writes PROFILE_<time>.json. With PROFILE "memory" it runs nothing, but takes a block from the
 * session's arena and gives it back.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "player.h"

enum { MAX_INPUTS = 8, MAX_DIMS = 8, API_VERSION = 8, FLOAT = 1 };

enum slot {
	ERROR_MESSAGE = 2,
	CREATE_ENV = 3,
	CREATE_SESSION = 7,
	RUN = 9,
	CREATE_OPTIONS = 10,
	ENABLE_PROFILING = 14,
	SET_SEVERITY = 22,
	SET_THREADS = 24,
	INPUT_COUNT = 30,
	INPUT_TYPE = 33,
	INPUT_NAME = 36,
	OUTPUT_NAME = 37,
	CREATE_TENSOR = 49,
	TENSOR_INFO = 55,
	ELEMENT_TYPE = 60,
	N_DIMS = 61,
	DIMS = 62,
	CPU_MEMORY = 69,
	DEFAULT_ALLOCATOR = 78,
	RELEASE_ENV = 92,
	RELEASE_MEMORY = 94,
	RELEASE_SESSION = 95,
	RELEASE_VALUE = 96,
	RELEASE_TYPE = 98,
	RELEASE_OPTIONS = 100,
	CREATE_ALLOCATOR = 131,
};

/* CALL(RUN, (types of the arguments), (arguments)): ends the program if the call fails. */
#define CALL(slot, types, args) must(#slot, ((void *(*)types)api[slot])args)

static void **api;

static void release(enum slot slot, void *object)
{
	((void (*)(void *))api[slot])(object);
}

/* The start of OrtAllocator. */
struct allocator {
	uint32_t version;
	void *(*take)(struct allocator *self, size_t bytes);
	void (*give)(struct allocator *self, void *block);
};

struct model {
	struct allocator *arena;
	void *env, *session, *memory, *allocator;
	void *input[MAX_INPUTS];
	char *input_name[MAX_INPUTS], *output_name;
	size_t n_inputs;
};

static void die(const char *what, const char *why)
{
	fprintf(stderr, "model_run: %s: %s\n", what, why);
	exit(3);
}

static void must(const char *what, void *status)
{
	if (status)
		die(what, ((const char *(*)(void *))api[ERROR_MESSAGE])(status));
}

static void open_runtime(const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	struct base {
		void **(*get_api)(uint32_t version);
	} *(*get_base)(void) = NULL;

	if (library)
		*(void **)&get_base = dlsym(library, "OrtGetApiBase");
	if (!get_base)
		die(path, dlerror());
	api = get_base()->get_api(API_VERSION);
	if (!api)
		die(path, "it does not have this version of the API");
}

static void make_input(struct model *model, size_t number)
{
	int64_t dim[MAX_DIMS];
	size_t n_dims = 0, n = 1;
	void *type, *tensor;
	int element = 0;
	float *data;

	CALL(INPUT_NAME, (void *, size_t, void *, char **),
	     (model->session, number, model->allocator, &model->input_name[number]));
	CALL(INPUT_TYPE, (void *, size_t, void **), (model->session, number, &type));
	CALL(TENSOR_INFO, (void *, void **), (type, &tensor));
	CALL(ELEMENT_TYPE, (void *, int *), (tensor, &element));
	CALL(N_DIMS, (void *, size_t *), (tensor, &n_dims));
	if (element != FLOAT || n_dims > MAX_DIMS)
		die(model->input_name[number], "only float inputs of up to 8 dimensions are understood");
	CALL(DIMS, (void *, int64_t *, size_t), (tensor, dim, n_dims));
	for (size_t i = 0; i < n_dims; i++)
		n *= (size_t)(dim[i] = dim[i] < 1 ? 1 : dim[i]);
	release(RELEASE_TYPE, type);
	data = calloc(n, sizeof *data);
	for (size_t i = 0; i < n; i++)
		data[i] = (float)i / (float)n;
	CALL(CREATE_TENSOR, (void *, void *, size_t, const int64_t *, size_t, int, void **),
	     (model->memory, data, n * sizeof *data, dim, n_dims, FLOAT, &model->input[number]));
}

static void open_model(struct model *model, const char *path, const char *profile)
{
	void *options;

	CALL(CPU_MEMORY, (int, int, void **), (0, 0, &model->memory));
	CALL(DEFAULT_ALLOCATOR, (void **), (&model->allocator));
	CALL(CREATE_OPTIONS, (void **), (&options));
	CALL(SET_SEVERITY, (void *, int), (options, 4));
	CALL(SET_THREADS, (void *, int), (options, 1));
	if (profile)
		CALL(ENABLE_PROFILING, (void *, const char *), (options, profile));
	CALL(CREATE_SESSION, (void *, const char *, void *, void **), (model->env, path, options, &model->session));
	release(RELEASE_OPTIONS, options);
	CALL(INPUT_COUNT, (void *, size_t *), (model->session, &model->n_inputs));
	if (model->n_inputs > MAX_INPUTS)
		die(path, "it has too many inputs");
	for (size_t i = 0; i < model->n_inputs; i++)
		make_input(model, i);
	CALL(OUTPUT_NAME, (void *, size_t, void *, char **),
	     (model->session, 0, model->allocator, &model->output_name));
}

static void play(void *ctx, long n)
{
	struct model *model = ctx;

	for (long i = 0; i < n; i++) {
		void *output = NULL;
		CALL(RUN, (void *, void *, char *const *, void *const *, size_t, char *const *, size_t, void **),
		     (model->session, NULL, model->input_name, model->input, model->n_inputs, &model->output_name, 1,
		      &output));
		release(RELEASE_VALUE, output);
	}
}

static void open_arena(struct model *model)
{
	void *memory;

	CALL(CPU_MEMORY, (int, int, void **), (1, 0, &memory));
	CALL(CREATE_ALLOCATOR, (void *, void *, struct allocator **), (model->session, memory, &model->arena));
	release(RELEASE_MEMORY, memory);
}

static void play_memory(void *ctx, long n)
{
	struct allocator *arena = ((struct model *)ctx)->arena;

	for (long i = 0; i < n; i++)
		arena->give(arena, arena->take(arena, 1000));
}

int main(int argc, char **argv)
{
	static struct model model; /* its texts and inputs are kept until the end */
	struct player player = { 1, play, NULL, &model };

	if (argc < 3)
		die("usage", "model_run CPU LIBRARY [MODEL [PROFILE]]");
	player_pin(atoi(argv[1]));
	open_runtime(argv[2]);
	CALL(CREATE_ENV, (int, const char *, void **), (4, "bench", &model.env));
	if (argc < 4) {
		player_ready();
		return 0;
	}
	if (argc > 4 && !strcmp(argv[4], "memory")) {
		open_model(&model, argv[3], NULL);
		open_arena(&model);
		player = (struct player){ 100, play_memory, NULL, &model };
	} else {
		open_model(&model, argv[3], argc > 4 ? argv[4] : NULL);
	}
	player_run(&player);
	release(RELEASE_SESSION, model.session); /* the profiler writes its file now */
	release(RELEASE_MEMORY, model.memory);
	release(RELEASE_ENV, model.env);
	return 0;
}
