/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The segments of a recording (trace/rotate) as one block of memory: each file is mapped, and the rest of its last page
 * holds a field that every reader of protobuf skips. A packet that was cut off is left out of all but the newest
 * segment.
 */
#ifndef TRACE_IMPORT_INPUT_GROUP_H
#define TRACE_IMPORT_INPUT_GROUP_H

#include "trace/import/input.h"

/*
 * path names the recording, or the folder with its segments, which is open as fd (borrowed). Segments that a recorder
 * removes meanwhile are left out. 0, or -errno and err; then call input_close.
 */
int input_group_open(struct input *input, int fd, const char *path, struct err *err);

#endif
