/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One recording, for the recorder's own files only: recorder.c, which owns it, recorder_sources.c, recorder_attached.c,
 * recorder_clock.c and recorder_note.c. One thread.
 */
#ifndef CAPTURE_RECORDER_RECORDER_STATE_H
#define CAPTURE_RECORDER_RECORDER_STATE_H

#include "base/clock_watch.h"
#include "capture/recorder/recorder.h"
#include "capture/recorder/recorder_tap.h"

struct recorder_source {
	const struct source *source; /* NULL: ended */
	void *state;
	uint64_t due_ns;
};

struct recorder {
	struct recorder_tap tap; /* all events pass it: those of the sources, and the recorder's own notes */
	const struct recorder_opts *opts;
	struct recorder_way *way;
	struct target *target; /* the way's */
	struct tree tree;
	uint32_t track; /* of the recording; 0: none yet */
	struct recorder_source *source;
	size_t n_sources;
	struct recorder_result *result;
	uint64_t left_bytes;  /* on the disk of the file, as of the last flush; UINT64_MAX: unknown */
	uint64_t grown_bytes; /* written between the last two flushes */
	uint64_t start_ns, flushed_ns, shown_ns, tree_due_ns, disk_due_ns;
	uint64_t start_cpu_ns; /* of this process, for what was there before: a command may record several times */
	uint64_t start_helpers_ns, helpers_ns; /* the same of processes that sources have started and waited for */
	uint64_t left_due_ns;		       /* when to look again for what goes on without the program */
	bool is_recording;
	struct clock_watch clock_watch;
	uint64_t source_looked_ns, n_clock_notes;
	char clock_source[32]; /* the kernel's, when last looked at */
};

#endif
