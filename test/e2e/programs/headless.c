/* SPDX-License-Identifier: Apache-2.0 */
/*
 * headless LIBRARY MODEL SHAPE OUT_LEN: a thread runs a model until standard input ends. The first thread ends with the
 * first line of the input, by pthread_cancel; so the process ends with the other one. Prints "ready", and what serve
 * prints when that thread ends, into a buffer that exit() writes.
 */
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ort.h"

static struct model model;
static char buffer[4096];

static void *work(void *arg)
{
	struct pollfd input = { STDIN_FILENO, POLLIN, 0 };
	uint64_t expected = model_run(&model);
	long n_runs = 0, n_differ = 0;
	const pthread_t *first = arg;
	char byte;

	puts("ready");
	fflush(stdout);
	setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
	for (;; n_runs++) {
		n_differ += model_run(&model) != expected;
		if (poll(&input, 1, 2) <= 0)
			continue;
		if (read(STDIN_FILENO, &byte, 1) <= 0)
			break;
		pthread_cancel(*first);
	}
	printf("runs %ld failed 0\ndiffer %ld\n", n_runs, n_differ);
	return NULL;
}

int main(int argc, char **argv)
{
	static pthread_t first, thread;
	static struct ort ort;

	ort_open(&ort, runtime_open(argv[1]));
	model_open(&model, &ort, argv[2], argv[3], (size_t)atol(argv[4]));
	first = pthread_self();
	pthread_create(&thread, NULL, work, &first);
	for (;;)
		pause();
}
