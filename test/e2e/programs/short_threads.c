/* SPDX-License-Identifier: Apache-2.0 */
/* short_threads LIBRARY MODEL SHAPE OUT_LEN N: N threads, up to 8 at a time; each makes one run and ends. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "ort.h"

static struct model model;

static void *work(void *sum)
{
	__atomic_add_fetch((uint64_t *)sum, model_run(&model), __ATOMIC_RELAXED);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread[8];
	struct ort ort;
	uint64_t sum = 0;
	long n = atol(argv[5]);

	ort_open(&ort, runtime_open(argv[1]));
	model_open(&model, &ort, argv[2], argv[3], (size_t)atol(argv[4]));
	for (long i = 0; i < n + 8; i++) {
		if (i >= 8)
			pthread_join(thread[i % 8], NULL);
		if (i < n && pthread_create(&thread[i % 8], NULL, work, &sum))
			die("pthread_create", "failed");
	}
	printf("%016lx\nruns %ld failed 0\n", sum, n);
	model_close(&model);
	ort_close(&ort);
	return 0;
}
