/* SPDX-License-Identifier: Apache-2.0 */
/* A readable name for a model of which only the file's path is known. Quiet: the agent links it. */
#ifndef RUNTIME_MODEL_NAME_H
#define RUNTIME_MODEL_NAME_H

#include <stddef.h>

/*
 * The file's name without its suffix. If that name says nothing ("model.onnx", as models are often shared), the
 * folder's name is put before it. Cut to size - 1 bytes.
 */
void model_name_of_path(char *to, size_t size, const char *path);

#endif
