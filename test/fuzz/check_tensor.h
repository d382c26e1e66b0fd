/* SPDX-License-Identifier: Apache-2.0 */
/* Aborts when the result of a reader of tensors violates the contract of src/model/tensor/tensor_file.h. */
#ifndef FUZZ_CHECK_TENSOR_H
#define FUZZ_CHECK_TENSOR_H

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "model/tensor/tensor_file.h"

static inline void check_claim(bool claim)
{
	if (!claim)
		abort();
}

/* Every byte is readable, the size follows from the shape, and the tensor equals itself. */
static inline void check_tensor(const struct tensor *tensor)
{
	struct tensor_diff diff;
	size_t n_elements, size_bytes;
	char text[100];

	check_claim(!tensor_measure(tensor->type, tensor->dims, tensor->n_dims, &n_elements, &size_bytes, NULL));
	check_claim(n_elements == tensor->n_elements && size_bytes == tensor->size_bytes);
	for (size_t i = 0; tensor->type == TENSOR_STRING && i < n_elements; i++)
		check_claim(tensor->strings[i][tensor->string_bytes[i]] == 0);
	check_claim(tensor_compare(tensor, tensor, (struct tensor_tolerance){ 0, 0 }, &diff));
	tensor_describe(tensor, text, sizeof text);
	check_claim(strlen(text) < sizeof text);
}

/* ret and err agree, and err is one printable line. */
static inline void check_err(int ret, const struct err *err)
{
	check_claim(ret ? ret == -err->code && *err->msg : !err->code);
	for (const char *at = err->msg; *at; at++)
		check_claim(isprint((unsigned char)*at));
}

#endif
