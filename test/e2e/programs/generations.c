/* SPDX-License-Identifier: Apache-2.0 */
/*
 * generations LIBRARY MODEL SHAPE OUT_LEN N WIDTH DONE: N worker processes, WIDTH of them at a time. Each opens the
 * model and runs it in THREADS threads. A byte for each that has ended is written into the file DONE. Prints the sum of
 * all results and the number of runs.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ort.h"

enum { THREADS = 4, RUNS = 3, REST_US = 20000 };

static struct model model;
static struct shared {
	uint64_t sum, n_runs;
} *shared;

static void *run(void *arg)
{
	for (int i = 0; i < RUNS; i++) {
		__atomic_fetch_add(&shared->sum, model_run(&model), __ATOMIC_RELAXED);
		__atomic_fetch_add(&shared->n_runs, 1, __ATOMIC_RELAXED);
		usleep(REST_US);
	}
	return NULL;
}

static void work(char **argv)
{
	pthread_t thread[THREADS];
	struct ort ort;

	ort_open(&ort, runtime_open(argv[1]));
	model_open(&model, &ort, argv[2], argv[3], (size_t)atol(argv[4]));
	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, run, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	model_close(&model);
	ort_close(&ort);
}

int main(int argc, char **argv)
{
	long n = atol(argv[5]), width = atol(argv[6]);
	int status, failed = 0, done = open(argv[7], O_WRONLY | O_CREAT, 0600);

	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	runtime_open(argv[1]);
	for (long i = 0; i < n + width; i++) {
		if (i >= width) {
			wait(&status);
			failed += status != 0 || write(done, "", 1) != 1;
		}
		if (i < n && !fork()) {
			work(argv);
			return 0;
		}
	}
	printf("%016lx\nruns %ld failed %d\n", shared->sum, shared->n_runs, failed);
	return 0;
}
