/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Provides the bytes of a file as one block of memory. A file is mapped. A pipe, standard input or compressed file
 * (gzip, zstd) is first written to an unnamed temporary file, which is mapped, so that memory stays bounded. A folder
 * of segments is one recording (input_group.c), and is found by the name that the recording will have. Interprets no
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

/*
 * Ways in which a file can be compressed as a whole: one row each in decompressor.c. What is inside is the importers'
 * business.
 */
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

/*
 * The segments of a recording (trace/rotate) as one block of memory: each file is mapped, and the rest of its last page
 * holds a field that every reader of protobuf skips. A packet that was cut off is left out of all but the newest
 * segment.
 */
/*
 * path names the recording, or the folder with its segments, which is open as fd (borrowed). Segments that a recorder
 * removes meanwhile are left out. 0, or -errno and err; then call input_close.
 */
int input_group_open(struct input *input, int fd, const char *path, struct err *err);

#endif
