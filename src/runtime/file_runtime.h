/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the runtime that a file contains. Runs on the bytes of a stranger's file: call it in a child (file_look.h). */
#ifndef RUNTIME_FILE_RUNTIME_H
#define RUNTIME_FILE_RUNTIME_H

#include "base/arena.h"
#include "runtime/find/image_file.h"
#include "runtime/runtimes.h"

struct file_runtime {
	struct rtti rtti; /* the file's classes */
	struct arena arena;
	const struct runtime *runtime; /* NULL: the file contains no known runtime, and no library of one */
	struct runtime_found found;    /* zero without a runtime */
};

/* 0, or -ENOMEM and err. The result borrows from *file; end it with file_runtime_done in both cases. */
int file_runtime_find(struct file_runtime *in, const struct image_file *file, struct err *err);
void file_runtime_done(struct file_runtime *in);

#endif
