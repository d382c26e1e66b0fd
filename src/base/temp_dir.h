/* SPDX-License-Identifier: Apache-2.0 */
/* Folders for what is only needed for a while. */
#ifndef BASE_TEMP_DIR_H
#define BASE_TEMP_DIR_H

#include <stddef.h>

#include "base/err.h"

/* A new, empty folder below TMPDIR or /tmp for this ("outputs"), that only this user can look into. 0, or -errno and
 * err. */
int temp_dir_make(char *path, size_t size, const char *what, struct err *err);
/* With the files in it; folders in it must be removed before. One that is not there is fine. */
void temp_dir_remove(const char *path);

#endif
