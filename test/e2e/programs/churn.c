/* SPDX-License-Identifier: Apache-2.0 */
/* churn LIBRARY MODEL SHAPE OUT_LEN N: creates N sessions one after the other, runs each once and releases it. */
#include <stdio.h>
#include <stdlib.h>

#include "ort.h"

int main(int argc, char **argv)
{
	struct model model;
	struct ort ort;
	uint64_t sum = 0;
	long n = atol(argv[5]);

	ort_open(&ort, runtime_open(argv[1]));
	for (long i = 0; i < n; i++) {
		model_open(&model, &ort, argv[2], argv[3], (size_t)atol(argv[4]));
		sum += model_run(&model);
		model_close(&model);
	}
	ort_close(&ort);
	printf("%016lx\nruns %ld failed 0\n", sum, n);
	return 0;
}
