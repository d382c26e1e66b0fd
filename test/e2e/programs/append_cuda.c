/* SPDX-License-Identifier: Apache-2.0 */
/*
 * append_cuda LIBRARY: asks the runtime for CUDA's provider, whose library lies beside it, and prints what it answers.
 */
#include <stdio.h>

#include "ort.h"

enum { ORT_APPEND_CUDA = 152, CUDA_OPTIONS = 256 };

int main(int argc, char **argv)
{
	char cuda_options[CUDA_OPTIONS] = { 0 };
	void *options, *status;
	struct ort ort;

	(void)argc;
	ort_open(&ort, runtime_open(argv[1]));
	status = ((void *(*)(void **))ort.api[ORT_CREATE_OPTIONS])(&options);
	if (status)
		return 1;
	status = ((void *(*)(void *, const void *))ort.api[ORT_APPEND_CUDA])(options, cuda_options);
	puts(status ? ((const char *(*)(void *))ort.api[ORT_ERROR_MESSAGE])(status) : "it has one");
	ort_close(&ort);
	return 0;
}
