// SPDX-License-Identifier: Apache-2.0
/* An ONNX tensor: any bytes. */
#include "check_tensor.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = { 0 };
	struct tensor tensor = { .n_dims = 9 };
	char *name;
	int ret = tensor_pb_parse(data, size, &tensor, &name, &err);

	check_err(ret, &err);
	if (ret) {
		check_claim(!tensor.n_dims && !tensor.own);
		return 0;
	}
	check_tensor(&tensor);
	check_claim(strlen(name) < size);
	free(name);
	tensor_done(&tensor);
	return 0;
}
