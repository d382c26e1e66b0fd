/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes of recordings in the form of ONNX Runtime's own profile. Both take a text like float32[64x256],int64[]. */
#ifndef TRACE_EXPORT_ORT_SHAPES_H
#define TRACE_EXPORT_ORT_SHAPES_H

#include <stddef.h>
#include <stdint.h>

#include "trace/export/text_out.h"

/* Writes the list; [] if the text is longer than 4,000 bytes or has another form. */
void ort_shapes_put(struct text_out *out, const char *text, size_t len);
/* Bytes of all tensors; 0: unknown. */
int64_t ort_shapes_bytes(const char *text);

#endif
