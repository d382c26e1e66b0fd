/* SPDX-License-Identifier: Apache-2.0 */
/* What a file that is no ONNX model is instead. Quiet. */
#ifndef MODEL_ONNX_ONNX_OTHER_H
#define MODEL_ONNX_ONNX_OTHER_H

#include <stddef.h>
#include <stdint.h>

/* "it is a ..., ...; what to do", by the first bytes; NULL: it may be a model. */
const char *onnx_other_what(const uint8_t *data, size_t size);

#endif
