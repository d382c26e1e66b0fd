/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alone LIBRARY MODEL SHAPE OUT_LEN: runs a model on its only thread until standard input ends. Refers to no function
 * of threads. Prints what serve prints.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "ort.h"

int main(int argc, char **argv)
{
	struct pollfd input = { STDIN_FILENO, POLLIN, 0 };
	long n_runs = 0, n_differ = 0;
	struct model model;
	uint64_t expected;
	struct ort ort;

	ort_open(&ort, runtime_open(argv[1]));
	model_open(&model, &ort, argv[2], argv[3], (size_t)atol(argv[4]));
	expected = model_run(&model);
	puts("ready");
	fflush(stdout);
	for (; poll(&input, 1, 2) <= 0; n_runs++)
		n_differ += model_run(&model) != expected;
	printf("runs %ld failed 0\ndiffer %ld\n", n_runs, n_differ);
	model_close(&model);
	ort_close(&ort);
	return 0;
}
