/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Joins segments in one file: the whole of the first, the bodies of the others. The file appears under its name when it
 * is complete, and never replaces another one. The kernel copies; where the file system shares blocks, none is copied.
 */
#ifndef TRACE_ROTATE_ROTATE_COPY_H
#define TRACE_ROTATE_ROTATE_COPY_H

#include "trace/rotate/rotate_segment.h"

struct rotate_copy {
	int folder;    /* borrowed */
	int to;	       /* -1: not begun */
	char part[32]; /* the file's name in the folder until it is complete */
	uint64_t bytes;
};

/* Begins a copy of that name, NAME.part in the folder. 0, or -errno and err. */
int rotate_copy_begin(struct rotate_copy *copy, int folder, const char *name, struct err *err);
/*
 * Copies at most max bytes of a segment of `end` bytes from *at on, which moves on. 0, or -errno and err; the copy is
 * then to be dropped.
 */
int rotate_copy_add(struct rotate_copy *copy, uint64_t number, uint64_t *at, uint64_t end, uint64_t max,
		    struct err *err);
/* Gives the file its name. 0, or -errno and err: -EEXIST, there is one; the copy is then to be dropped. */
int rotate_copy_end(struct rotate_copy *copy, const char *path, struct err *err);
/* Removes what was copied; harmless after the end, and where nothing has begun. */
void rotate_copy_drop(struct rotate_copy *copy);
/* Moves a segment to a name that does not exist. 0, or -errno and err. */
int rotate_copy_move(int folder, const char *name, const char *path, struct err *err);

#endif
