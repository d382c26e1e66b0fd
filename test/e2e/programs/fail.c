/* SPDX-License-Identifier: Apache-2.0 */
/* fail LIBRARY MODEL: fails to create a session and to run with a wrong shape, with good runs between. Prints the
 * runtime's messages. */
#include <stdio.h>

#include "ort.h"

int main(int argc, char **argv)
{
	struct model good, wrong;
	struct ort ort;
	const char *why;
	uint64_t sum = 0;

	ort_open(&ort, runtime_open(argv[1]));
	model_open(&good, &ort, argv[2], "256", 256);
	printf("good %016lx\n", model_run(&good));
	why = model_try_open(&wrong, &ort, "/there/is/no/model.onnx", "1", 1, 1);
	printf("missing %s\n", why);
	model_open(&wrong, &ort, argv[2], "2x3", 256);
	why = model_try_run(&wrong, &sum);
	printf("wrong %s\n", why);
	model_close(&wrong);
	printf("good %016lx\nruns 3 failed 1\n", model_run(&good));
	model_close(&good);
	ort_close(&ort);
	return 0;
}
