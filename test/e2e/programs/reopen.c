/* SPDX-License-Identifier: Apache-2.0 */
/* reopen LIBRARY MODEL SHAPE OUT_LEN N: N times: dlopens the runtime, runs a model, dlcloses it; prints whether it
 * is unloaded then. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "ort.h"

int main(int argc, char **argv)
{
	long n = atol(argv[5]);

	for (long i = 0; i < n; i++) {
		struct model model;
		struct ort ort;

		ort_open(&ort, runtime_open(argv[1]));
		model_open(&model, &ort, argv[2], argv[3], (size_t)atol(argv[4]));
		printf("%016lx\n", model_run(&model));
		model_close(&model);
		ort_close(&ort);
		runtime_close();
		puts(dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD) ? "stays" : "gone");
	}
	printf("runs %ld failed 0\n", n);
	return 0;
}
