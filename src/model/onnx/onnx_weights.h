/* SPDX-License-Identifier: Apache-2.0 */
/* How many bytes of a model's weights an inference has to read, whatever its inputs. */
#ifndef MODEL_ONNX_ONNX_WEIGHTS_H
#define MODEL_ONNX_ONNX_WEIGHTS_H

#include <stdint.h>

#include "model/onnx/onnx.h"

/* Bytes as stored in the file. Tables whose rows are looked up are left out. -1: not known. */
int64_t onnx_weights_read(const struct onnx_model *model);

#endif
