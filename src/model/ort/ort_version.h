/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the version of a copy of ONNX Runtime in its files and those of its package. Only reads, so the files may
 * belong to another machine.
 */
#ifndef MODEL_ORT_ORT_VERSION_H
#define MODEL_ORT_ORT_VERSION_H

#include <stddef.h>

/*
 * "1.22.1" of a library or Python module; "" when nothing states it. path without symbolic links. In this order: the
 * library's symbols, its name, the Python package, pip's metadata, the Node package.
 */
void ort_version_find(const char *path, char *version, size_t size);

/* The version in pip's metadata of a package: "2.7.0" of "onnxruntime_qnn-2.7.0.dist-info"; "" none. */
void ort_version_noted(const char *site, const char *package, char *version, size_t size);

#endif
