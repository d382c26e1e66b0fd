/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run LIBRARY MODEL SHAPE OUT_LEN WAY RUNS THREADS [TIMES|"" [REST_US]]: THREADS threads share a session; each makes
 * RUNS runs, and rests after each. WAY: run, async or bound. Prints the sum of checksums per thread; writes times like
 * ortprogram.py.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ort.h"

static struct model model;
static uint64_t (*run)(struct model *);
static long n_runs;
static useconds_t rest_us;

struct worker {
	pthread_t thread;
	long tid;
	uint64_t sum, (*time)[2];
};

static void *work(void *arg)
{
	struct worker *worker = arg;

	worker->tid = gettid();
	for (long i = 0; i < n_runs; i++) {
		worker->time[i][0] = now_ns();
		worker->sum += run(&model);
		worker->time[i][1] = now_ns();
		if (rest_us)
			usleep(rest_us);
	}
	return NULL;
}

static void print_times(const char *path, struct worker *worker, int n)
{
	FILE *out = fopen(path, "w");

	for (int t = 0; t < n; t++)
		for (long i = 0; i < n_runs; i++)
			fprintf(out, "%lu %lu %ld\n", worker[t].time[i][0], worker[t].time[i][1], worker[t].tid);
	fclose(out);
}

int main(int argc, char **argv)
{
	struct worker *worker;
	struct ort ort;
	const char *why;
	int n;

	if (argc < 8)
		die("usage", "run LIBRARY MODEL SHAPE OUT_LEN WAY RUNS THREADS [TIMES|\"\" [REST_US]]");
	run = !strcmp(argv[5], "async") ? model_run_async : !strcmp(argv[5], "bound") ? model_run_bound : model_run;
	n_runs = atol(argv[6]);
	n = atoi(argv[7]);
	rest_us = argc > 9 ? (useconds_t)atol(argv[9]) : 0;
	ort_open(&ort, runtime_open(argv[1]));
	why = model_try_open(&model, &ort, argv[2], argv[3], (size_t)atol(argv[4]), run == model_run_async ? 2 : 1);
	if (why)
		die(argv[2], why);
	worker = calloc((size_t)n, sizeof(*worker));
	for (int t = 0; t < n; t++)
		worker[t].time = calloc((size_t)n_runs + 1, sizeof(*worker[t].time));
	for (int t = 1; t < n; t++)
		pthread_create(&worker[t].thread, NULL, work, &worker[t]);
	work(&worker[0]);
	for (int t = 1; t < n; t++)
		pthread_join(worker[t].thread, NULL);
	for (int t = 0; t < n; t++)
		printf("%d %016lx\n", t, worker[t].sum);
	printf("runs %ld failed 0\n", n_runs * n);
	if (argc > 8 && *argv[8])
		print_times(argv[8], worker, n);
	model_close(&model);
	ort_close(&ort);
	return 0;
}
