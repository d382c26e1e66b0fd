/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the runtime in a file, and its version, as the file's own code returns it. Does not check whether it can be
 * probed.
 */
#ifndef CAPTURE_PROC_FILE_VERSION_H
#define CAPTURE_PROC_FILE_VERSION_H

#include "base/err.h"
#include "runtime/runtimes.h"

struct file_version {
	const struct runtime *runtime; /* a row of runtimes[] */
	char version[32];	       /* "1.22.1"; "" unknown */
	const char *other; /* without a row: the runtime that is linked into the file and not recorded; NULL: none */
};

/*
 * Reads the file in fd in a child without rights (file_look.h), which takes tens of milliseconds. name: for messages.
 * 0, or -errno and err: ENOENT: it contains no runtime of the table; EIO, ETIME as from file_look_at.
 */
int file_version(struct file_version *found, int fd, const char *name, struct err *err);

#endif
