/* SPDX-License-Identifier: Apache-2.0 */
/*
 * count LIBRARY MODEL SHAPE OUT_LEN COUNTERS THREADS RUNS: counts runs for tests that kill processes. Each
 * thread runs the model. After each run it writes count and time into its line of the mapped file COUNTERS, which
 * therefore survives any kill. A line: number of runs, time of the last end, sum of checksums. RUNS 0: until SIGUSR1.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ort.h"

struct line {
	uint64_t n, last_ns, sum, pad[5];
};

static struct model model;
static long n_runs;
static int ends;

static void on_signal(int sig)
{
	__atomic_store_n(&ends, 1, __ATOMIC_RELAXED);
}

static void *work(void *arg)
{
	struct line *line = arg;

	for (long i = 0; n_runs ? i < n_runs : !__atomic_load_n(&ends, __ATOMIC_RELAXED); i++) {
		line->sum += model_run(&model);
		line->last_ns = now_ns();
		__atomic_store_n(&line->n, line->n + 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int fd = open(argv[5], O_RDWR | O_CREAT, 0600), n = atoi(argv[6]);
	pthread_t thread[64];
	struct line *line;
	struct ort ort;
	uint64_t sum = 0, total = 0;

	n_runs = atol(argv[7]);
	signal(SIGUSR1, on_signal);
	if (fd < 0 || ftruncate(fd, (long)sizeof(*line) * n) || n > 64)
		die(argv[5], "cannot make the counters");
	line = mmap(NULL, sizeof(*line) * (size_t)n, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ort_open(&ort, runtime_open(argv[1]));
	model_open(&model, &ort, argv[2], argv[3], (size_t)atol(argv[4]));
	for (int t = 0; t < n; t++)
		pthread_create(&thread[t], NULL, work, &line[t]);
	for (int t = 0; t < n; t++)
		pthread_join(thread[t], NULL);
	for (int t = 0; t < n; t++) {
		sum += line[t].sum;
		total += line[t].n;
	}
	printf("%016lx\nruns %lu failed 0\n", sum, total);
	model_close(&model);
	ort_close(&ort);
	return 0;
}
