// SPDX-License-Identifier: Apache-2.0
/* Makes a model's name from its path alone. Opens no file: it may be gone, or on another machine. */
#include "runtime/model_name.h"

#include <string.h>

static void put(char *to, size_t size, const char *text, size_t len)
{
	if (len >= size)
		len = size - 1;
	memcpy(to, text, len);
	to[len] = 0;
}

void model_name_of_path(char *to, size_t size, const char *path)
{
	const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path, *dot = strrchr(file, '.');
	const char *from = file;

	if (slash && slash > path && !strncmp(file, "model", 5) && (file[5] == '.' || file[5] == '_')) {
		from = slash;
		while (from > path && from[-1] != '/')
			from--;
		if (!strncmp(from, "onnx/", 5) && from > path + 1) /* .../NAME/onnx/model.onnx */
			for (from--; from > path && from[-1] != '/';)
				from--;
	}
	put(to, size, from, dot && dot > file ? (size_t)(dot - from) : strlen(from));
}
