// SPDX-License-Identifier: Apache-2.0
/* A .npy file: any bytes. The result is also converted to every other type. */
#include "check_tensor.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tensor tensor = { .n_dims = 9 };

	for (int type = TENSOR_UNDEFINED + 1; type < TENSOR_N_TYPES; type++) {
		struct err err = { 0 }, other = { 0 };
		int ret = tensor_npy_parse(data, size, &tensor, &err);
		check_err(ret, &err);
		if (ret) {
			check_claim(!tensor.n_dims && !tensor.own);
			break;
		}
		check_tensor(&tensor);
		ret = tensor_npy_retype(&tensor, type, &other);
		check_err(ret, &other);
		check_claim(ret || tensor.type == (enum tensor_type)type);
		check_tensor(&tensor);
		tensor_done(&tensor);
	}
	return 0;
}
