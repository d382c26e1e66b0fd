/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the files beside a model that hold its weights, and checks whether they can be used. Opens none of them. */
#ifndef MODEL_ONNX_ONNX_EXTERNAL_H
#define MODEL_ONNX_ONNX_EXTERNAL_H

#include "model/onnx/onnx.h"

struct onnx_external {
	const char *location; /* as in the model */
	uint32_t n_tensors;
	int64_t bytes;	     /* bytes of it that tensors use */
	int64_t file_bytes;  /* size of the file, -1: unknown */
	const char *problem; /* a sentence that starts with the path, and what to do; NULL: no problem */
};

struct onnx_externals {
	uint32_t n;
	struct onnx_external *files;
};

/*
 * Searches all graphs of the model. Files are in the order of their first tensors, in the model's arena. 0 or -ENOMEM.
 */
int onnx_external_find(struct onnx_model *model, struct onnx_externals *to, struct err *err);
/* 0, or -EINVAL or -ENOENT and the first problem. */
int onnx_external_check(const struct onnx_externals *externals, struct err *err);

#endif
