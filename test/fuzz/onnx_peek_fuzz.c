// SPDX-License-Identifier: Apache-2.0
/* A model in the memory of a target: any bytes. */
#include "runtime/onnx_peek.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char name[16];

	onnx_peek_is_model((const char *)data, size);
	onnx_peek_graph_name((const char *)data, size, name, sizeof name);
	if (!memchr(name, 0, sizeof name))
		abort();
	return 0;
}
