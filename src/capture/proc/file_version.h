/* SPDX-License-Identifier: Apache-2.0 */
/* Which runtime a file holds, and its version, as the file's own code returns it. Does not say whether it can be
 * probed. */
#ifndef CAPTURE_PROC_FILE_VERSION_H
#define CAPTURE_PROC_FILE_VERSION_H

#include "base/err.h"
#include "runtime/runtimes.h"

struct file_version {
	const struct runtime *runtime; /* a row of runtimes[] */
	char version[32];	       /* "1.22.1"; "" unknown */
};

/*
 * Reads the file in fd in a child without rights (file_look.h), which takes some tens of milliseconds. name: for
 * messages. 0, or -errno and err: ENOENT: it holds no runtime of the table; EIO, ETIME as of file_look_at.
 */
int file_version(struct file_version *found, int fd, const char *name, struct err *err);

#endif
