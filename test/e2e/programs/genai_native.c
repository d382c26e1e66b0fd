/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Generations by onnxruntime-genai in C: genai_native LIBRARY FOLDER TIMES HOW [RUNTIME]. The functions are looked up
 * by name; with -DLINKED the program is linked to the library. RUNTIME is loaded before. HOW: row, turns (one token of
 * each in turn), threads, fork (one in the parent, one in a child, another in the parent), serve (one after the other
 * until standard input ends; each must make the same tokens).
 *
 * Prints the tokens. Writes to TIMES, for each generation: the length of the prompt, 1, when it began to go in, and
 * begin and end of each call that made a token. A child writes to TIMES.child.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FUNCTIONS(F) \
	F(void *, OgaCreateModel, (const char *, void **)) \
	F(void *, OgaCreateGeneratorParams, (const void *, void **)) \
	F(void *, OgaGeneratorParamsSetSearchNumber, (void *, const char *, double)) \
	F(void *, OgaGeneratorParamsSetSearchBool, (void *, const char *, bool)) \
	F(void *, OgaCreateGenerator, (const void *, const void *, void **)) \
	F(void *, OgaGenerator_AppendTokens, (void *, const int32_t *, size_t)) \
	F(void *, OgaGenerator_GenerateNextToken, (void *)) \
	F(size_t, OgaGenerator_GetSequenceCount, (const void *, size_t)) \
	F(const int32_t *, OgaGenerator_GetSequenceData, (const void *, size_t)) \
	F(const char *, OgaResultGetError, (const void *)) \
	F(void, OgaDestroyGenerator, (void *)) \
	F(void, OgaDestroyGeneratorParams, (void *)) \
	F(void, OgaDestroyModel, (void *)) \
	F(void, OgaShutdown, (void))

#ifdef LINKED
#define DECLARE(type, name, args) type name args;
#else
#define DECLARE(type, name, args) static type(*name) args;
#endif
FUNCTIONS(DECLARE)

enum { N_TOKENS = 20, MOST = 8 };

static const size_t prompts[MOST] = { 16, 64, 16, 30, 31, 32, 16, 100 };
static void *model;

struct generation {
	size_t n_prompt, n;
	void *generator;
	int64_t call[N_TOKENS][2];
};

static int64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000ll + time.tv_nsec;
}

static void check(void *result)
{
	if (!result)
		return;
	fprintf(stderr, "%s\n", OgaResultGetError(result));
	exit(1);
}

static void begin(struct generation *of, size_t n_prompt)
{
	void *params;

	*of = (struct generation){ .n_prompt = n_prompt };
	check(OgaCreateGeneratorParams(model, &params));
	check(OgaGeneratorParamsSetSearchNumber(params, "max_length", (double)(n_prompt + N_TOKENS)));
	check(OgaGeneratorParamsSetSearchNumber(params, "min_length", (double)(n_prompt + N_TOKENS)));
	check(OgaGeneratorParamsSetSearchBool(params, "do_sample", false));
	check(OgaCreateGenerator(model, params, &of->generator));
	OgaDestroyGeneratorParams(params);
}

static void step(struct generation *of)
{
	int32_t ids[128];

	for (size_t i = 0; i < of->n_prompt; i++)
		ids[i] = (int32_t)(3 + i);
	of->call[of->n][0] = now();
	if (!of->n)
		check(OgaGenerator_AppendTokens(of->generator, ids, of->n_prompt));
	check(OgaGenerator_GenerateNextToken(of->generator));
	of->call[of->n++][1] = now();
}

static void *all_steps(void *of)
{
	for (size_t i = 0; i < N_TOKENS; i++)
		step(of);
	return NULL;
}

static uint64_t digest(const struct generation *of)
{
	size_t n = OgaGenerator_GetSequenceCount(of->generator, 0);
	const int32_t *ids = OgaGenerator_GetSequenceData(of->generator, 0);
	uint64_t sum = 14695981039346656037u;

	for (size_t i = 0; i < n; i++)
		sum = (sum ^ (uint32_t)ids[i]) * 1099511628211u;
	return sum;
}

static void put(FILE *to, const struct generation *of, bool is_first)
{
	fprintf(to, "%s[%zu, 1, %lld, [", is_first ? "" : ", ", of->n_prompt, (long long)of->call[0][0]);
	for (size_t i = 0; i < of->n; i++)
		fprintf(to, "%s[%lld, %lld]", i ? ", " : "", (long long)of->call[i][0], (long long)of->call[i][1]);
	fprintf(to, "]]");
}

/* Prints them, and writes their times. */
static void tell(const char *path, struct generation *of, size_t n)
{
	FILE *to = fopen(path, "w");

	fprintf(to, "[");
	for (size_t i = 0; i < n; i++) {
		put(to, &of[i], !i);
		printf("%zu: %016llx\n", of[i].n_prompt, (unsigned long long)digest(&of[i]));
		OgaDestroyGenerator(of[i].generator);
	}
	fprintf(to, "]");
	fclose(to);
}

static void one(struct generation *of, size_t n_prompt)
{
	begin(of, n_prompt);
	all_steps(of);
}

static void make(const char *path, bool in_turns, bool by_threads)
{
	struct generation of[MOST];
	pthread_t thread[MOST];

	for (size_t i = 0; i < MOST; i++)
		begin(&of[i], prompts[i]);
	for (size_t i = 0; i < MOST && by_threads; i++)
		pthread_create(&thread[i], NULL, all_steps, &of[i]);
	for (size_t i = 0; i < MOST && by_threads; i++)
		pthread_join(thread[i], NULL);
	for (size_t k = 0; k < N_TOKENS && in_turns; k++)
		for (size_t i = 0; i < MOST; i++)
			step(&of[i]);
	for (size_t i = 0; i < MOST && !in_turns && !by_threads; i++)
		all_steps(&of[i]);
	tell(path, of, MOST);
}

static void forked(const char *path)
{
	struct generation of[2], own;
	char name[4096];
	int status;
	pid_t pid;

	one(&of[0], 16);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		one(&own, 24);
		snprintf(name, sizeof name, "%s.child", path);
		tell(name, &own, 1);
		fflush(stdout);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	one(&of[1], 40);
	tell(path, of, 2);
	printf("child: status %d\n", status);
}

/* In the words of the other servers. */
static void serve(const char *path)
{
	struct pollfd end = { .fd = 0, .events = POLLIN };
	uint64_t first = 0;
	size_t n = 0, n_differ = 0;
	FILE *to = fopen(path, "w");

	printf("ready\n");
	fflush(stdout);
	fprintf(to, "[");
	while (poll(&end, 1, 2) == 0) {
		struct generation of;

		one(&of, 16 + n % 8 * 4);
		put(to, &of, !n);
		if (n % 8 == 0 && n)
			n_differ += digest(&of) != first;
		else if (!n)
			first = digest(&of);
		OgaDestroyGenerator(of.generator);
		n++;
	}
	fprintf(to, "]");
	fclose(to);
	printf("differ %zu\nruns %zu failed 0\n", n_differ, n);
}

int main(int argc, char **argv)
{
	const char *how = argc > 4 ? argv[4] : "";

	if (argc < 5 || (argc > 5 && !dlopen(argv[5], RTLD_NOW | RTLD_GLOBAL)))
		return 2;
#ifndef LINKED
	void *library = dlopen(argv[1], RTLD_NOW);

	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		return 2;
	}
#define LOOK_UP(type, name, args) name = (type(*) args)(uintptr_t)dlsym(library, #name);
	FUNCTIONS(LOOK_UP)
#endif
	check(OgaCreateModel(argv[2], &model));
	if (!strcmp(how, "fork"))
		forked(argv[3]);
	else if (!strcmp(how, "serve"))
		serve(argv[3]);
	else
		make(argv[3], !strcmp(how, "turns"), !strcmp(how, "threads"));
	OgaDestroyModel(model);
	OgaShutdown();
	fflush(stdout);
	return 0;
}
