/* SPDX-License-Identifier: Apache-2.0 */
/* Says what kind of file it is when it is not an ONNX model. Quiet. */
#ifndef MODEL_ONNX_ONNX_OTHER_H
#define MODEL_ONNX_ONNX_OTHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "it is a ..., ...; what to do", by the first bytes; NULL: it may be a model. */
const char *onnx_other_what(const uint8_t *data, size_t size);

/* Whether the file at path is in ONNX Runtime's own format (.ort). false also if it cannot be read. */
bool onnx_other_is_ort(const char *path);
/* The same of a GGUF file, which llama.cpp runs. */
bool onnx_other_is_gguf(const char *path);

#endif
