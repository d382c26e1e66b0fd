/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shapes LIBRARY MODEL N: N runs, each of which gives the model's input "x", of 4 dimensions, a new shape, as a
 * language model does whose cache grows: 1x8xIx0 in run I. No tensor has elements, so that a run takes no time.
 */
#include <stdio.h>
#include <stdlib.h>

#include "ort.h"

int main(int argc, char **argv)
{
	struct model model;
	struct ort ort;
	uint64_t sum = 0;
	long n = atol(argv[3]);

	ort_open(&ort, runtime_open(argv[1]));
	model_open(&model, &ort, argv[2], "1x8x1x0", 0);
	for (long i = 1; i <= n; i++) {
		model.shape[2] = i;
		sum += model_run(&model);
	}
	model_close(&model);
	ort_close(&ort);
	printf("%016lx\nruns %ld failed 0\n", sum, n);
	return 0;
}
