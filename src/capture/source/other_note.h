/* SPDX-License-Identifier: Apache-2.0 */
/* Notes runtimes of a process that are not recorded (runtime/other_runtimes.h). */
#ifndef CAPTURE_SOURCE_OTHER_NOTE_H
#define CAPTURE_SOURCE_OTHER_NOTE_H

#include "capture/source/source.h"

/*
 * A process that has mapped the file at `path`, as it sees it, has another runtime: a note with its name and version.
 * Nothing if the file belongs to none. 0, or the sink's error.
 */
int other_note(const struct target *target, pid_t pid, uint32_t track, const char *path, struct sink *out,
	       uint64_t now_ns, struct err *err);

#endif
