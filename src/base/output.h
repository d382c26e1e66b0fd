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

#endif
