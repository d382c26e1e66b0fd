/* SPDX-License-Identifier: Apache-2.0 */
/* The options of JSON lines. */
#ifndef FLEET_DOOR_DOOR_LINES_H
#define FLEET_DOOR_DOOR_LINES_H

#include <stdint.h>

struct door_lines_opts {
	const char *path;    /* "-": standard output */
	uint64_t most_bytes; /* of a file: then it becomes PATH.1, and that PATH.2 ... */
	int n_kept;	     /* files of before that are kept */
};

#endif
