/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ways in which a file can be compressed as a whole: one row each in decompressor.c. What is inside is the importers'
 * business.
 */
#ifndef TRACE_IMPORT_DECOMPRESSOR_H
#define TRACE_IMPORT_DECOMPRESSOR_H

#include "trace/import/input.h"

struct decompressor {
	const char *name;
	const char *magic; /* the first bytes of such a file */
	size_t n_magic;
	/*
	 * Writes what is in the file to the file descriptor, up to where it is cut off: input->is_cut is set. 0, or
	 * -errno and err ("at byte N: ...").
	 */
	int (*run)(struct input *input, int to, struct err *err);
};

/* NULL: the file is not compressed. */
const struct decompressor *decompressor_of(const struct input *input);
/* The row of zip archives (decompress_zip.c). */
int decompress_zip(struct input *input, int to, struct err *err);
/* Writes all of it to a temporary file. 0, or -errno and err. */
int decompressor_write(int fd, const char *data, size_t size, struct err *err);

#endif
