/* SPDX-License-Identifier: Apache-2.0 */
/*
 * torture LIBRARY MODEL SHAPE OUT_LEN THREADS REST_US [TORTURE]: runs a model in threads until standard input ends, and
 * compares each result with the first. Meanwhile TORTURE threads allocate and free, load and unload libraries, start
 * and end. Prints "ready", at the end "runs N failed 0" and "differ N".
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ort.h"

static struct model model;
static uint64_t expected;
static bool has_ended;
static long n_runs, n_differ, rest_us;

static void *serve(void *unused)
{
	while (!__atomic_load_n(&has_ended, __ATOMIC_RELAXED)) {
		if (model_run(&model) != expected)
			__atomic_add_fetch(&n_differ, 1, __ATOMIC_RELAXED);
		__atomic_add_fetch(&n_runs, 1, __ATOMIC_RELAXED);
		if (rest_us)
			usleep((useconds_t)rest_us);
	}
	return NULL;
}

static void *short_lived(void *unused)
{
	return NULL;
}

static void *torture(void *unused)
{
	void *block[64] = { NULL };
	unsigned seed = (unsigned)(uintptr_t)&block;

	while (!__atomic_load_n(&has_ended, __ATOMIC_RELAXED)) {
		void *library = dlopen("libBrokenLocale.so.1", RTLD_NOW);
		pthread_t thread;
		for (int i = 0; i < 200; i++) {
			int at = rand_r(&seed) % 64;
			free(block[at]);
			block[at] = malloc((size_t)(rand_r(&seed) % 40000) + 1);
		}
		if (!pthread_create(&thread, NULL, short_lived, NULL))
			pthread_join(thread, NULL);
		if (library)
			dlclose(library);
	}
	for (int i = 0; i < 64; i++)
		free(block[i]);
	return NULL;
}

int main(int argc, char **argv)
{
	int n_threads = atoi(argv[5]), n_torture = argc > 7 ? atoi(argv[7]) : 0;
	pthread_t thread[512];
	struct ort ort;
	char byte;

	rest_us = atol(argv[6]);
	ort_open(&ort, runtime_open(argv[1]));
	model_open(&model, &ort, argv[2], argv[3], (size_t)atol(argv[4]));
	expected = model_run(&model);
	printf("ready\n");
	fflush(stdout);
	for (int i = 0; i < n_threads + n_torture; i++)
		pthread_create(&thread[i], NULL, i < n_threads ? serve : torture, NULL);
	while (read(0, &byte, 1) > 0)
		;
	__atomic_store_n(&has_ended, true, __ATOMIC_RELAXED);
	for (int i = 0; i < n_threads + n_torture; i++)
		pthread_join(thread[i], NULL);
	printf("runs %ld failed 0\ndiffer %ld\n", n_runs, n_differ);
	model_close(&model);
	ort_close(&ort);
	return 0;
}
