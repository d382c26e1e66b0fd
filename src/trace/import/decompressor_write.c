// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "trace/import/input.h"

int decompressor_write(int fd, const char *data, size_t size, struct err *err)
{
	while (size) {
		ssize_t n = write(fd, data, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_set(err, errno, "cannot write a temporary file: %s; set TMPDIR to another folder",
				       strerror(errno));
		data += n;
		size -= (size_t)n;
	}
	return 0;
}
