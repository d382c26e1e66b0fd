/* SPDX-License-Identifier: Apache-2.0 */
/* Finding the recording that a command is about. */
#ifndef CMD_FIND_RECORDING_H
#define CMD_FIND_RECORDING_H

#include <limits.h>
#include <stdbool.h>

#include "base/err.h"

struct find_recording {
	char path[NAME_MAX + 1];
};

/* The newest recording in the current folder, which it names on standard error. 0; or -errno or misuse, and err. */
int find_recording_newest(struct find_recording *to, struct err *err);
/* Is a program still writing this file, or this folder of segments? */
bool find_recording_is_written(const char *path);

#endif
