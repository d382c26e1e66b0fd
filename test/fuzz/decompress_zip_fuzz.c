// SPDX-License-Identifier: Apache-2.0
/* Zip archives: what is written is the size that the list of files names, or there is an error. */
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"
#include "trace/import/input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = { .data = (const char *)data, .size = size };
	int fd = memfd_create("zip", MFD_CLOEXEC);
	struct err err = { 0 };

	if (fd < 0)
		return 0;
	if (!decompress_zip(&input, fd, &err) != !err.code)
		abort();
	close(fd);
	return 0;
}
