/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of a copy of ONNX Runtime, and of the package that it lies in, say of its version. Only reads: a file
 * of a machine that is not this one may be asked too.
 */
#ifndef MODEL_ORT_ORT_VERSION_H
#define MODEL_ORT_ORT_VERSION_H

#include <stddef.h>

/*
 * "1.22.1" of a library or Python module; "" when nothing tells. path without symbolic links. In this order: the
 * library's symbols, its name, the Python package, what pip has noted, the Node package.
 */
void ort_version_find(const char *path, char *version, size_t size);

/* What pip has noted of a package in a folder of packages: "2.7.0" of "onnxruntime_qnn-2.7.0.dist-info"; "" nothing. */
void ort_version_noted(const char *site, const char *package, char *version, size_t size);

#endif
