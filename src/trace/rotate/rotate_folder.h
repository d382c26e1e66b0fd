/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The folder that holds the segments of a recording while it grows: x.pftrace.d beside the later x.pftrace, with
 * 00000001.pftrace, 00000002.pftrace ... in it. Reads no segment.
 */
#ifndef TRACE_ROTATE_ROTATE_FOLDER_H
#define TRACE_ROTATE_ROTATE_FOLDER_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct rotate_name {
	char s[24];
};

struct rotate_path {
	char s[PATH_MAX];
};

/* The folder of a recording's segments: its path and ".d". "" when it is too long. */
struct rotate_path rotate_folder_of(const char *path);
/* The name of a segment in its folder. */
struct rotate_name rotate_folder_name(uint64_t number);

/*
 * Makes the folder of a recording, mode 0700, and locks it until the descriptor is closed. must_be_new: else the
 * segments of a recording that nobody writes any more are removed. The descriptor; or -errno and err: -EEXIST, it
 * exists; -EBUSY, another recorder uses it.
 */
int rotate_folder_make(const char *path, bool must_be_new, struct err *err);
/* Whether a recorder writes segments to this folder; false where there is none. */
bool rotate_folder_is_used(const char *folder);
/* The numbers of the segments in a folder, ascending, from malloc. 0, or -errno: it cannot be read. */
int rotate_folder_list(int fd, uint64_t **numbers, size_t *n);
/* Removes all segments, parts of copies, and the folder. Whatever else is in it stays. */
void rotate_folder_remove(int fd, const char *path);

#endif
