/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fork LIBRARY MODEL SHAPE OUT_LEN N RUNS: forks N times (0: until standard input ends) while another thread runs a
 * session. The child makes RUNS runs with the parent's session and prints its results. A lock of the runtime that the
 * other thread held would stay locked in the child for ever, so that thread is between two runs at the fork. Each time
 * the program forks once more at any moment; that child runs nothing.
 */
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ort.h"

static struct model model;
static pthread_mutex_t running = PTHREAD_MUTEX_INITIALIZER;
static int stop;
static long n_background;

static void *background(void *arg)
{
	while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
		pthread_mutex_lock(&running);
		model_run(&model);
		pthread_mutex_unlock(&running);
		n_background++;
		usleep(1000);
	}
	return NULL;
}

static int input_has_ended(void)
{
	struct pollfd input = { STDIN_FILENO, POLLIN, 0 };

	return poll(&input, 1, 0) > 0;
}

static int status_of(pid_t child)
{
	int status;

	waitpid(child, &status, 0);
	return WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
	pthread_t thread;
	struct ort ort;
	long n = atol(argv[5]), n_runs = atol(argv[6]);

	setvbuf(stdout, NULL, _IOLBF, 0);
	ort_open(&ort, runtime_open(argv[1]));
	model_open(&model, &ort, argv[2], argv[3], (size_t)atol(argv[4]));
	pthread_create(&thread, NULL, background, NULL);
	for (long i = 0; n ? i < n : !input_has_ended(); i++) {
		pid_t child = fork();

		if (child == 0)
			_exit((int)(i & 63));
		printf("status %d\n", status_of(child));
		pthread_mutex_lock(&running);
		child = fork();
		if (child == 0) {
			for (long k = 0; k < n_runs; k++)
				printf("child %ld %016lx\n", i, model_run(&model));
			_exit((int)(i & 63));
		}
		pthread_mutex_unlock(&running);
		printf("status %d\n", status_of(child));
		printf("parent %016lx\n", model_run(&model));
	}
	__atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	fprintf(stderr, "background %ld\n", n_background);
	model_close(&model);
	ort_close(&ort);
	return 0;
}
