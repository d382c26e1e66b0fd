/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One recording, for the recorder's own files only: recorder.c, which owns it, recorder_sources.c, recorder_attached.c
 * and recorder_note.c. One thread.
 */
#ifndef CAPTURE_RECORDER_RECORDER_STATE_H
#define CAPTURE_RECORDER_RECORDER_STATE_H

#include "capture/recorder/recorder.h"
#include "trace/perfetto/perfetto_write.h"

enum { RECORDER_SOURCES = 16 };

struct recorder_source {
	const struct source *source; /* NULL: ended */
	void *state;
	uint64_t due_ns;
};

struct recorder {
	struct sink tap; /* what sources see: counts, then passes on */
	const struct recorder_opts *opts;
	struct target *target;
	struct tree tree;
	struct names *names;
	uint32_t last_track;
	uint32_t runtime_topic; /* name of the notes that tell of a runtime */
	uint32_t track;		/* of the recording; 0: none yet */
	struct perfetto_writer *writer;
	struct sink *file;
	struct recorder_source source[RECORDER_SOURCES];
	size_t n_sources;
	struct recorder_result *result;
	uint64_t start_ns, flushed_ns, shown_ns, tree_due_ns, n_events;
	uint64_t start_cpu_ns; /* of this process, for what was there before: a command may record several times */
	uint64_t start_helpers_ns, helpers_ns; /* the same of processes that sources have started and waited for */
	bool is_recording;
};

#endif
