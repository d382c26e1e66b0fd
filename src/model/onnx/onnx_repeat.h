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
	const struct onnx_repeat *groups; /* the most wasteful first */
	int64_t bytes;			  /* bytes of all copies but the first */
};

/*
 * Compares the initializers of all graphs that have at least 256 bytes of data inside the file. Reads in full only
 * those that are equal at both ends. The result lies in the model's arena. 0, or -ENOMEM.
 */
int onnx_repeat_find(struct onnx_model *model, struct onnx_repeats *to, struct err *err);

#endif
