/* SPDX-License-Identifier: Apache-2.0 */
/* Temporary folders. */
#ifndef BASE_TEMP_DIR_H
#define BASE_TEMP_DIR_H

#include <stddef.h>

#include "base/err.h"

/*
 * Makes an empty folder below TMPDIR or /tmp that only this user can read. what: part of its name, such as "outputs".
 * 0, or -errno and err.
 */
int temp_dir_make(char *path, size_t size, const char *what, struct err *err);
/* Removes the folder and its files; remove its subfolders first. A missing folder is fine. */
void temp_dir_remove(const char *path);

#endif
