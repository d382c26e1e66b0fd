/* SPDX-License-Identifier: Apache-2.0 */
/*
 * annotated LIBRARY MODEL SHAPE OUT_LEN [RUNS]: runs a model inside slices of its own, on two threads, RUNS times each
 * or until standard input ends. Prints "ready" after the first run; at the end "requests N" and "differ N".
 */
#include <inftrace.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "ort.h"

static struct model model;
static uint64_t expected;
static long runs;
static int ended;

struct worker {
	pthread_t thread;
	long requests, differ;
};

static void *work(void *arg)
{
	struct worker *worker = arg;
	struct inftrace_name_opts opts = { .size = sizeof opts, .name = "requests", .unit = "count" };
	const struct inftrace_name *count = inftrace_intern_with(&opts);

	while (!__atomic_load_n(&ended, __ATOMIC_ACQUIRE) && (!runs || worker->requests < runs)) {
		uint64_t sum = 0;

		INFTRACE_SCOPE("request");
		inftrace_counter(count, (double)++worker->requests);
		{
			INFTRACE_SCOPE("preprocess");
			worker->differ += model_try_run(&model, &sum) || sum != expected;
		}
		usleep(1000);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct worker worker[2] = { 0 };
	struct ort ort;

	if (argc < 5)
		die("usage", "annotated LIBRARY MODEL SHAPE OUT_LEN [RUNS]");
	runs = argc > 5 ? atol(argv[5]) : 0;
	ort_open(&ort, runtime_open(argv[1]));
	model_open(&model, &ort, argv[2], argv[3], (size_t)atol(argv[4]));
	model_try_run(&model, &expected);
	for (int t = 0; t < 2; t++)
		pthread_create(&worker[t].thread, NULL, work, &worker[t]);
	puts("ready");
	fflush(stdout);
	while (!runs && getchar() != EOF)
		;
	if (!runs)
		__atomic_store_n(&ended, 1, __ATOMIC_RELEASE);
	for (int t = 0; t < 2; t++)
		pthread_join(worker[t].thread, NULL);
	printf("requests %ld\nruns %ld failed 0\ndiffer %ld\n", worker[0].requests + worker[1].requests,
	       worker[0].requests + worker[1].requests, worker[0].differ + worker[1].differ);
	model_close(&model);
	ort_close(&ort);
	return 0;
}
