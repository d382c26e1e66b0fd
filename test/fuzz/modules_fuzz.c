// SPDX-License-Identifier: Apache-2.0
/* Any lines as /proc/PID/maps: a path may contain any byte, and other kernels may write other lines. */
#include "capture/proc/modules.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

static void check(char *line, size_t size)
{
	struct module module;

	if (!modules_parse(line, &module))
		return;
	if (module.path < line || module.path + strlen(module.path) > line + size || *module.path != '/' ||
	    module.start >= module.end || !module.inode)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	while (size) {
		const uint8_t *end = memchr(data, '\n', size);
		size_t len = end ? (size_t)(end - data) + 1 : size;
		char *line = malloc(len + 1);
		if (!line)
			abort();
		memcpy(line, data, len);
		line[len] = 0;
		check(line, len);
		free(line);
		data += len;
		size -= len;
	}
	return 0;
}
