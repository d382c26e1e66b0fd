// SPDX-License-Identifier: Apache-2.0
/*
 * token_run CPU LIBRARY MODEL HOW [PROFILE]: a player (player.h) that makes tokens with the decoder of make_tiny.py by
 * ONNX Runtime, on one thread. HOW: tokens (each takes what the one before has made; each turn begins with a prompt),
 * same (a step of the same length, again and again). With PROFILE the runtime's own profiler writes
 * PROFILE_<time>.json. A program that opens the runtime's library and calls its functions by their slot in the API's
 * table.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "player.h"

enum { CACHES = 4, PROMPT = 16, MIDDLE = 70, API_VERSION = 8, FLOAT = 1, INT64 = 7 };

enum slot {
	ERROR_MESSAGE = 2,
	CREATE_ENV = 3,
	CREATE_SESSION = 7,
	RUN = 9,
	CREATE_OPTIONS = 10,
	ENABLE_PROFILING = 14,
	SET_SEVERITY = 22,
	SET_THREADS = 24,
	CREATE_TENSOR = 49,
	CPU_MEMORY = 69,
	RELEASE_SESSION = 95,
	RELEASE_VALUE = 96,
};

#define CALL(slot, types, args) must(#slot, ((void *(*)types)api[slot])(args))
#define ARGS(...) __VA_ARGS__

static const char *const inputs[] = { "input_ids", "past_key_values.0.key", "past_key_values.0.value",
				      "past_key_values.1.key", "past_key_values.1.value" };
static const char *const outputs[] = { "logits", "present.0.key", "present.0.value", "present.1.key",
				       "present.1.value" };

static void **api;
static void *session, *memory;
static void *kept[CACHES]; /* what goes in next */
static int64_t length;
static bool is_same;

static void die(const char *what, const char *why)
{
	fprintf(stderr, "token_run: %s: %s\n", what, why);
	exit(3);
}

static void must(const char *what, void *status)
{
	if (status)
		die(what, ((const char *(*)(void *))api[ERROR_MESSAGE])(status));
}

static void release(void *value)
{
	((void (*)(void *))api[RELEASE_VALUE])(value);
}

static void *tensor(void *data, size_t size, const int64_t *shape, size_t n_dims, int type)
{
	void *value;

	CALL(CREATE_TENSOR, (void *, void *, size_t, const int64_t *, size_t, int, void **),
	     ARGS(memory, data, size, shape, n_dims, type, &value));
	return value;
}

static void forget(void)
{
	static float nothing[1];

	for (int i = 0; i < CACHES; i++) {
		if (kept[i])
			release(kept[i]);
		kept[i] = tensor(nothing, 0, (int64_t[]){ 1, 4, 0, 16 }, 4, FLOAT);
	}
	length = 0;
}

/* n tokens go in. */
static void step(int64_t n)
{
	static int64_t tokens[MIDDLE];
	void *in[1 + CACHES], *out[1 + CACHES] = { NULL };

	in[0] = tensor(tokens, (size_t)n * sizeof *tokens, (int64_t[]){ 1, n }, 2, INT64);
	memcpy(in + 1, kept, sizeof kept);
	CALL(RUN, (void *, void *, const char *const *, void **, size_t, const char *const *, size_t, void **),
	     ARGS(session, NULL, inputs, in, 1 + CACHES, outputs, 1 + CACHES, out));
	release(in[0]);
	release(out[0]);
	for (int i = 0; i < CACHES; i++)
		release(is_same && length ? out[1 + i] : kept[i]);
	if (is_same && length)
		return;
	memcpy(kept, out + 1, sizeof kept);
	length += n;
}

static void play(void *ctx, long n)
{
	(void)ctx;
	for (long i = 0; i < n; i++)
		step(1);
}

/* Not measured: a turn begins with a prompt. */
static void settle(void *ctx)
{
	(void)ctx;
	forget();
	step(is_same ? MIDDLE : PROMPT);
}

static void open_model(const char *path, const char *profile)
{
	void *env, *options;

	CALL(CREATE_ENV, (int, const char *, void **), ARGS(4, "bench", &env));
	CALL(CPU_MEMORY, (int, int, void **), ARGS(0, 0, &memory));
	CALL(CREATE_OPTIONS, (void **), ARGS(&options));
	CALL(SET_SEVERITY, (void *, int), ARGS(options, 4));
	CALL(SET_THREADS, (void *, int), ARGS(options, 1));
	if (profile)
		CALL(ENABLE_PROFILING, (void *, const char *), ARGS(options, profile));
	CALL(CREATE_SESSION, (void *, const char *, void *, void **), ARGS(env, path, options, &session));
}

int main(int argc, char **argv)
{
	struct player player = { 1, play, settle, NULL };
	struct base {
		void **(*get_api)(uint32_t version);
	} *(*get_base)(void) = NULL;
	void *library;

	if (argc < 5)
		die("usage", "token_run CPU LIBRARY MODEL tokens|same [PROFILE]");
	player_pin(atoi(argv[1]));
	library = dlopen(argv[2], RTLD_NOW | RTLD_LOCAL);
	if (library)
		*(void **)&get_base = dlsym(library, "OrtGetApiBase");
	if (!get_base)
		die(argv[2], dlerror());
	api = get_base()->get_api(API_VERSION);
	is_same = !strcmp(argv[4], "same");
	open_model(argv[3], argc > 5 ? argv[5] : NULL);
	settle(NULL);
	player_run(&player);
	((void (*)(void *))api[RELEASE_SESSION])(session); /* the profiler writes its file now */
	return 0;
}
