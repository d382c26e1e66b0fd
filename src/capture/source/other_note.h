/* SPDX-License-Identifier: Apache-2.0 */
/* Notes runtimes of a process that are not recorded (runtime/other_runtimes.h). */
#ifndef CAPTURE_SOURCE_OTHER_NOTE_H
#define CAPTURE_SOURCE_OTHER_NOTE_H

#include "capture/source/source.h"

/* A process has mapped the file at `path`, as it sees it. */
struct other_file {
	pid_t pid;
	uint32_t track; /* of the process */
	const char *path;
	uint64_t now_ns;
	const char *title; /* of what is linked into it, from elsewhere; NULL, "": by its name */
};

/* If the file holds or belongs to another runtime: a note with its name and version. 0, or the sink's error. */
int other_note(const struct target *target, const struct other_file *file, struct sink *out, struct err *err);

#endif
