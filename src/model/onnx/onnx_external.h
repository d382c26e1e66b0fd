/* SPDX-License-Identifier: Apache-2.0 */
/* The files beside a model that hold its weights: which there are, and whether they can be used. Opens none. */
#ifndef MODEL_ONNX_ONNX_EXTERNAL_H
#define MODEL_ONNX_ONNX_EXTERNAL_H

#include "model/onnx/onnx.h"

struct onnx_external {
	const char *location; /* as the model says it */
	uint32_t n_tensors;
	int64_t bytes;	     /* that the tensors take in it */
	int64_t file_bytes;  /* size of the file, -1: cannot be told */
	const char *problem; /* a sentence that starts with the path, and what to do; NULL: none */
};

struct onnx_externals {
	uint32_t n;
	struct onnx_external *files;
};

/* Of all graphs of the model, in the order of their first tensors; lies in the model's arena. 0, or -errno: memory. */
int onnx_external_find(struct onnx_model *model, struct onnx_externals *to, struct err *err);
/* 0, or -EINVAL or -ENOENT and the first problem. */
int onnx_external_check(const struct onnx_externals *externals, struct err *err);

#endif
