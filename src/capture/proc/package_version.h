/* SPDX-License-Identifier: Apache-2.0 */
/* The version of the package that installed a library. */
#ifndef CAPTURE_PROC_PACKAGE_VERSION_H
#define CAPTURE_PROC_PACKAGE_VERSION_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Of a library by its path: the version of its Python or npm package, or the one at the end of its name. root goes
 * before the path ("", "/proc/42/root"). Reads files of strangers, bounded. False: it is not known.
 */
bool package_version(const char *root, const char *path, char *version, size_t size);

#endif
