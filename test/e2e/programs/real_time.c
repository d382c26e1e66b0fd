/* SPDX-License-Identifier: Apache-2.0 */
/*
 * real_time LIBRARY MODEL SHAPE OUT_LEN THREADS: threads on one CPU, each with a real-time priority of its own, but for
 * the first, which has none. Each makes sessions, runs them and releases them. Prints the sum of the results, or "not
 * allowed".
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "ort.h"

enum { SESSIONS = 5, RUNS = 20 };

static struct ort ort;
static char **args;
static uint64_t sum;
static long n_runs;

static void *work(void *unused)
{
	struct model model;

	for (int i = 0; i < SESSIONS; i++) {
		model_open(&model, &ort, args[2], args[3], (size_t)atol(args[4]));
		for (int run = 0; run < RUNS; run++) {
			__atomic_add_fetch(&sum, model_run(&model), __ATOMIC_RELAXED);
			__atomic_add_fetch(&n_runs, 1, __ATOMIC_RELAXED);
			usleep(50); /* lets those of lower priority begin something */
		}
		model_close(&model);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int n = atoi(argv[5]), lowest = sched_get_priority_min(SCHED_FIFO), code = 0;
	pthread_t thread[64];
	pthread_attr_t attr;
	cpu_set_t one;

	args = argv;
	CPU_ZERO(&one);
	CPU_SET(0, &one);
	ort_open(&ort, runtime_open(argv[1]));
	pthread_attr_init(&attr);
	pthread_attr_setaffinity_np(&attr, sizeof one, &one);
	for (int i = 0; i < n && !code; i++) {
		if (i) {
			pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
			pthread_attr_setschedpolicy(&attr, SCHED_FIFO);
			pthread_attr_setschedparam(&attr, &(struct sched_param){ lowest + i });
		}
		code = pthread_create(&thread[i], &attr, work, NULL);
		n = code ? i : n;
	}
	for (int i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
	if (code)
		printf("not allowed\n");
	else
		printf("%016lx\nruns %ld failed 0\n", sum, n_runs);
	ort_close(&ort);
	return 0;
}
