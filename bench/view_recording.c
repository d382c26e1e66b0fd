// SPDX-License-Identifier: Apache-2.0
/*
 * view_recording FILE OPERATORS THREADS [compressed]: writes a recording for the benchmarks of `inftrace view`, with
 * resources. Measures nothing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "made_recording.h"

int main(int argc, char **argv)
{
	struct made_recording made = { MADE_OPERATORS, .n_nodes = MADE_MAX_NODES, .has_resources = true };
	struct err err;

	if (argc < 4)
		return 2;
	made.n_inferences = strtoull(argv[2], NULL, 10) / MADE_MAX_NODES;
	made.n_threads = atoi(argv[3]);
	made.is_compressed = argc > 4 && !strcmp(argv[4], "compressed");
	if (made.n_threads < 1 || made.n_threads > MADE_MAX_THREADS)
		return 2;
	if (!made_recording_write(&made, argv[1], &err))
		return 0;
	fprintf(stderr, "view_recording: %s\n", err.msg);
	return 3;
}
