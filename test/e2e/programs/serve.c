/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serve LIBRARY MODEL SHAPE OUT_LEN THREADS [TIMES [REST]]: THREADS threads share a session and run it until standard
 * input ends, with REST microseconds between two runs of a thread. Prints "ready" after the first run, at the end
 * "runs N failed N" and "differ N": runs whose result or error differs from that of the first. Writes times like
 * ortprogram.py.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ort.h"

static struct model model;
static uint64_t expected;
static int ended, expects_failure;
static useconds_t rest;

struct worker {
	pthread_t thread;
	long tid, runs, differ, failed, capacity;
	uint64_t (*time)[2];
};

static void *work(void *arg)
{
	struct worker *worker = arg;

	worker->tid = gettid();
	while (!__atomic_load_n(&ended, __ATOMIC_ACQUIRE)) {
		uint64_t sum = 0;
		const char *why;

		if (worker->runs == worker->capacity) {
			worker->capacity = worker->capacity ? worker->capacity * 2 : 1024;
			worker->time = realloc(worker->time, (size_t)worker->capacity * sizeof(*worker->time));
		}
		worker->time[worker->runs][0] = now_ns();
		why = model_try_run(&model, &sum);
		worker->time[worker->runs++][1] = now_ns();
		worker->failed += why != NULL;
		worker->differ += (why != NULL) != expects_failure || sum != expected;
		if (rest)
			usleep(rest);
	}
	return NULL;
}

static void print_times(const char *path, struct worker *worker, int n)
{
	FILE *out = fopen(path, "w");

	for (int t = 0; t < n; t++)
		for (long i = 0; i < worker[t].runs; i++)
			fprintf(out, "%lu %lu %ld\n", worker[t].time[i][0], worker[t].time[i][1], worker[t].tid);
	fclose(out);
}

int main(int argc, char **argv)
{
	struct worker *worker;
	long runs = 0, failed = 0, differ = 0;
	struct ort ort;
	int n;

	if (argc < 6)
		die("usage", "serve LIBRARY MODEL SHAPE OUT_LEN THREADS [TIMES [REST]]");
	n = atoi(argv[5]);
	rest = argc > 7 ? (useconds_t)atol(argv[7]) : 0;
	ort_open(&ort, runtime_open(argv[1]));
	model_open(&model, &ort, argv[2], argv[3], (size_t)atol(argv[4]));
	expects_failure = model_try_run(&model, &expected) != NULL;
	worker = calloc((size_t)n, sizeof(*worker));
	for (int t = 0; t < n; t++)
		pthread_create(&worker[t].thread, NULL, work, &worker[t]);
	puts("ready");
	fflush(stdout);
	while (getchar() != EOF)
		;
	__atomic_store_n(&ended, 1, __ATOMIC_RELEASE);
	for (int t = 0; t < n; t++) {
		pthread_join(worker[t].thread, NULL);
		runs += worker[t].runs;
		failed += worker[t].failed;
		differ += worker[t].differ;
	}
	printf("runs %ld failed %ld\ndiffer %ld\n", runs, failed, differ);
	if (argc > 6)
		print_times(argv[6], worker, n);
	model_close(&model);
	ort_close(&ort);
	return 0;
}
