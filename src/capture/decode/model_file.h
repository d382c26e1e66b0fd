/* SPDX-License-Identifier: Apache-2.0 */
/* What tells a model's file from another one under the same path. Keeps no state. */
#ifndef CAPTURE_DECODE_MODEL_FILE_H
#define CAPTURE_DECODE_MODEL_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* "8:1 1048576 1764280000.123456789": device, bytes and last change of the file that the process finds under a path.
 * false: it cannot be read. */
bool model_file_stamp(pid_t pid, const char *path, char *text, size_t size, int64_t *bytes);

#endif
