/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Provides the bytes of a file as one block of memory. A file is mapped. A pipe, standard input or compressed file
 * (gzip, zstd) is first written to an unnamed temporary file, which is mapped, so that memory stays bounded. A folder
 * of segments is one recording (input_group.h), and is found by the name that the recording will have. Interprets no
 * format.
 */
#ifndef TRACE_IMPORT_INPUT_H
#define TRACE_IMPORT_INPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

#define INPUT_STANDARD "standard input" /* the name of "-" in messages */

struct input {
	const char *data;
	size_t size;
	bool is_cut; /* the compressed data ends early */
};

/* path "-" is standard input. 0, or -errno and err: no such file, empty, not a file or pipe. Then call input_close. */
int input_open(struct input *input, const char *path, struct err *err);
/* Takes its bytes out of memory; they come back from the file when they are read again. */
void input_forget(const struct input *input);
/* The same of a part of them. */
void input_forget_part(const char *data, size_t size);
void input_close(struct input *input); /* also after a failure; a zeroed one may be closed */

#endif
