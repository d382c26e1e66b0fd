/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reload LIBRARY MODEL SHAPE OUT_LEN N MEMORY OTHER: opens the runtime and a model once, then opens and closes another
 * library N times. After each eighth of them it runs the model, and writes print_memory's line into the file MEMORY.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "ort.h"

int main(int argc, char **argv)
{
	static struct model model;
	struct ort ort;
	uint64_t sum = 0;
	long n = atol(argv[5]), opened = 0;
	FILE *memory = fopen(argv[6], "w");

	ort_open(&ort, runtime_open(argv[1]));
	model_open(&model, &ort, argv[2], argv[3], (size_t)atol(argv[4]));
	for (long i = 0; i < n; i++) {
		void *other = dlopen(argv[7], RTLD_NOW | RTLD_LOCAL);

		opened += other != NULL;
		if (other)
			dlclose(other);
		if (i % (n / 8) != n / 8 - 1)
			continue;
		sum += model_run(&model);
		print_memory(memory);
	}
	model_close(&model);
	ort_close(&ort);
	printf("%016lx\nopened %ld\n", sum, opened);
	fclose(memory);
	return 0;
}
