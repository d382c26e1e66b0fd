/* SPDX-License-Identifier: Apache-2.0 */
/* What a person calls a model of which only the file is known. Quiet: the agent links it. */
#ifndef RUNTIME_MODEL_NAME_H
#define RUNTIME_MODEL_NAME_H

#include <stddef.h>

/*
 * The file's name without its suffix; with its folder's name before it where the file's own says nothing
 * ("model.onnx" in a folder of its own is how models are shared). Cut to size - 1 bytes.
 */
void model_name_of_path(char *to, size_t size, const char *path);

#endif
