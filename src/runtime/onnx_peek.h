/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the name of a graph from a model in memory, before it is loaded. Reads nothing else of the model. */
#ifndef RUNTIME_ONNX_PEEK_H
#define RUNTIME_ONNX_PEEK_H

#include <stdbool.h>
#include <stddef.h>

/* Whether these bytes start like an ONNX model. */
bool onnx_peek_is_model(const char *bytes, size_t size);
/* ModelProto.graph (7) . name (2), cut to fit; "" if absent. Reads nothing outside the bytes. */
void onnx_peek_graph_name(const char *bytes, size_t size, char *name, size_t name_size);

#endif
