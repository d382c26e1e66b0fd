/* SPDX-License-Identifier: Apache-2.0 */
/*
 * churn LIBRARY MODEL SHAPE OUT_LEN N [LIVING MEMORY]: creates N sessions one after the other, and runs each once. Up
 * to LIVING of them (otherwise 1) live at a time; then the oldest is released. Other blocks of memory come and go, so
 * that objects of the runtime get ever new addresses. Writes print_memory's line into the
 * file MEMORY after each eighth of the sessions.
 */
#include <stdio.h>
#include <stdlib.h>

#include "ort.h"

enum { MAX_LIVING = 64, BLOCKS = 512 };

static void renew_blocks(void **block)
{
	for (int i = 0; i < 16; i++) {
		void **one = &block[random() % BLOCKS];
		free(*one);
		*one = malloc(16 + (size_t)random() % 3000);
	}
}

int main(int argc, char **argv)
{
	static struct model model[MAX_LIVING];
	static void *block[BLOCKS];
	struct ort ort;
	uint64_t sum = 0;
	long n = atol(argv[5]), living = argc > 6 ? atol(argv[6]) : 1;
	FILE *memory = argc > 7 ? fopen(argv[7], "w") : NULL;

	ort_open(&ort, runtime_open(argv[1]));
	for (long i = 0; i < n; i++) {
		struct model *one = &model[i % living];
		if (i >= living)
			model_close(one);
		if (living > 1)
			renew_blocks(block);
		model_open(one, &ort, argv[2], argv[3], (size_t)atol(argv[4]));
		sum += model_run(one);
		if (memory && i % (n / 8) == n / 8 - 1)
			print_memory(memory);
	}
	for (long i = 0; i < living && i < n; i++)
		model_close(&model[i]);
	ort_close(&ort);
	printf("%016lx\nruns %ld failed 0\n", sum, n);
	if (memory)
		fclose(memory);
	return 0;
}
