// SPDX-License-Identifier: Apache-2.0
/* An .npz file: any bytes. */
#include "check_tensor.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tensor_list list = { 0 };
	struct err err = { 0 };

	check_err(tensor_npz_parse(data, size, &list, &err), &err);
	for (size_t i = 0; i < list.n; i++) {
		check_tensor(&list.item[i].tensor);
		check_claim(strlen(list.item[i].name) < size);
	}
	tensor_list_done(&list);
	return 0;
}
