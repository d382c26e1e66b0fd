/* SPDX-License-Identifier: Apache-2.0 */
/* two_versions LIBRARY MODEL SHAPE OUT_LEN N LIBRARY_2: two versions of the runtime in one process, in turns. */
#include <stdio.h>
#include <stdlib.h>

#include "ort.h"

int main(int argc, char **argv)
{
	struct model first, second;
	struct ort one, two;
	long n = atol(argv[5]);

	ort_open(&one, runtime_open(argv[1]));
	ort_open(&two, runtime_open(argv[6]));
	model_open(&first, &one, argv[2], argv[3], (size_t)atol(argv[4]));
	model_open(&second, &two, argv[2], argv[3], (size_t)atol(argv[4]));
	for (long i = 0; i < n; i++) {
		printf("%016lx ", model_run(&first));
		printf("%016lx\n", model_run(&second));
	}
	printf("runs %ld failed 0\n", 2 * n);
	model_close(&second);
	model_close(&first);
	ort_close(&two);
	ort_close(&one);
	return 0;
}
