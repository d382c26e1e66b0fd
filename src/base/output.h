/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file that appears when it is complete. Until then it has no name, so that a failure or Ctrl-C leaves nothing behind
 * and an existing file unchanged. Standard output ("-"), devices and pipes are written to directly. A new file belongs
 * to the user who called sudo.
 */
#ifndef BASE_OUTPUT_H
#define BASE_OUTPUT_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"

struct output {
	const char *path;	  /* borrowed */
	int fd;			  /* for writing; -1: closed */
	bool is_forced;		  /* an existing file is replaced */
	bool is_direct;		  /* written directly */
	char temporary[PATH_MAX]; /* on file systems without unnamed files; else "" */
};

/* 0, or -errno and err: it exists and must not be replaced, or cannot be created. Call output_drop afterwards. */
int output_open(struct output *output, const char *path, bool is_forced, struct err *err);
/* Names the complete file and closes it. 0, or -errno and err. */
int output_keep(struct output *output, struct err *err);
/* Removes it, unless it was kept. */
void output_drop(struct output *output);

/* The same as a stream. A new file has the rights of any other, one that is replaced keeps its own. */
struct output_stream {
	struct output output;
	FILE *out; /* NULL: closed */
};

/* 0, or -errno and err; then there is nothing to close. */
int output_stream_open(struct output_stream *stream, const char *path, bool is_forced, struct err *err);
/*
 * Closes it, and gives it its name if all went well: code, which is that of writing it, is 0. 0, or -errno and err (of
 * writing it, if that is what failed).
 */
int output_stream_close(struct output_stream *stream, int code, struct err *err);
/* Removes it, unless it was closed. */
void output_stream_drop(struct output_stream *stream);

#endif
