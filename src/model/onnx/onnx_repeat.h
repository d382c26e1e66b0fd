/* SPDX-License-Identifier: Apache-2.0 */
/* Initializers with the same content: weights that a file holds more than once. */
#ifndef MODEL_ONNX_ONNX_REPEAT_H
#define MODEL_ONNX_ONNX_REPEAT_H

#include "model/onnx/onnx.h"

struct onnx_repeat {
	const struct onnx_tensor *tensor; /* the first of them */
	uint32_t n;			  /* 2 or more */
};

struct onnx_repeats {
	uint32_t n;
	const struct onnx_repeat *groups; /* the one that wastes most first */
	int64_t bytes;			  /* that all but the first of each take */
};

/*
 * Of all graphs' initializers with their data inside the file and at least 256 bytes of it. Only those that look the
 * same at both ends are read in full. Lies in the model's arena. 0, or -ENOMEM.
 */
int onnx_repeat_find(struct onnx_model *model, struct onnx_repeats *to, struct err *err);

#endif
