/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes of a file as one block of memory. A file is mapped. A pipe, standard input and a gzip file are first
 * written to a temporary file without a name, which is mapped: memory stays bounded. Knows no format.
 */
#ifndef TRACE_IMPORT_INPUT_H
#define TRACE_IMPORT_INPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

#define INPUT_STANDARD "standard input" /* what "-" is called in messages */

struct input {
	const char *data;
	size_t size;
	bool is_cut; /* gzip: the compressed data ends early */
};

/* path "-" is standard input. 0, or -errno and err: no such file, empty, not a file or pipe. input_close undoes it. */
int input_open(struct input *input, const char *path, struct err *err);
void input_close(struct input *input); /* also after a failure; a zeroed one may be closed */

#endif
