/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reopen LIBRARY MODEL SHAPE OUT_LEN N [MEMORY]: N times: dlopens the runtime, runs a model, dlcloses it; prints
 * whether it is unloaded then. With MEMORY the runtime gets another address each time, and that file
 * print_memory's line after each time.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "ort.h"

/* A page where the runtime was, so that it has no room there. */
static void take_place(uintptr_t where)
{
	mmap((void *)(where & ~(uintptr_t)4095), 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
	     0);
}

int main(int argc, char **argv)
{
	long n = atol(argv[5]);
	FILE *memory = argc > 6 ? fopen(argv[6], "w") : NULL;

	for (long i = 0; i < n; i++) {
		struct ort_base *base = runtime_open(argv[1]);
		uintptr_t where = (uintptr_t)base->version;
		struct model model;
		struct ort ort;

		ort_open(&ort, base);
		model_open(&model, &ort, argv[2], argv[3], (size_t)atol(argv[4]));
		printf("%016lx\n", model_run(&model));
		model_close(&model);
		ort_close(&ort);
		runtime_close();
		puts(dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD) ? "stays" : "gone");
		if (!memory)
			continue;
		take_place(where);
		print_memory(memory);
	}
	printf("runs %ld failed 0\n", n);
	if (memory)
		fclose(memory);
	return 0;
}
