/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cancel LIBRARY MODEL SHAPE OUT_LEN THREADS: threads one after the other, each of which is cancelled before its first
 * run. The runtime has no cancellation point while it runs this model on one thread, so each makes three runs and ends
 * at the point behind them. Prints the sum of the results and how many were cancelled there.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "ort.h"

enum { RUNS = 3 };

static struct model model;
static uint64_t sum;
static long n_runs;
static int is_cancelled;

static void *work(void *unused)
{
	while (!__atomic_load_n(&is_cancelled, __ATOMIC_ACQUIRE))
		;
	for (int i = 0; i < RUNS; i++) {
		sum += model_run(&model);
		n_runs++;
	}
	pthread_testcancel();
	return NULL;
}

int main(int argc, char **argv)
{
	int n = atoi(argv[5]), n_cancelled = 0;
	pthread_t thread;
	void *result;
	struct ort ort;

	ort_open(&ort, runtime_open(argv[1]));
	model_open(&model, &ort, argv[2], argv[3], (size_t)atol(argv[4]));
	for (int i = 0; i < n; i++) {
		__atomic_store_n(&is_cancelled, 0, __ATOMIC_RELEASE);
		if (pthread_create(&thread, NULL, work, NULL) || pthread_cancel(thread))
			die("cancel", "cannot make a thread");
		__atomic_store_n(&is_cancelled, 1, __ATOMIC_RELEASE);
		pthread_join(thread, &result);
		n_cancelled += result == PTHREAD_CANCELED;
	}
	printf("%016lx\nruns %ld failed 0\ncancelled %d\n", sum, n_runs, n_cancelled);
	model_close(&model);
	ort_close(&ort);
	return 0;
}
