/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file of a recording, or its segments with --keep, as a sink, and its name. What an existing file holds stays
 * until the recording begins. The sink is that of a stream whose names and track numbers are kept here, too.
 */
#ifndef CMD_RECORDING_FILE_H
#define CMD_RECORDING_FILE_H

#include "capture/recorder/recorder.h"
#include "capture/recorder/thin/dump_when.h"
#include "capture/recorder/thin/thin.h"
#include "cmd/record/live_page.h"
#include "cmd/record/record_options.h"
#include "event/names.h"
#include "trace/perfetto/perfetto_write.h"
#include "trace/rotate/rotate.h"

struct recording_file {
	const char *path; /* borrowed from the options, or in buf; at the end it may be the folder of segments */
	char buf[PATH_MAX];
	int own_fd;
	const int *fd; /* what is written to at the moment */
	struct names *names;
	uint32_t last_track;
	struct perfetto_writer *writer; /* NULL: rotate */
	struct rotate *rotate;		/* only the newest part is kept */
	struct thin *thin;		/* NULL: all operators are written */
	struct dump_when *when;		/* NULL: no dumps */
	struct sink *sink, *sinks[2];	/* of the file; and what watches for dumps */
	size_t n_sinks;
	struct recorder_signal usr1;
	bool is_quiet;
	uint64_t n_bytes; /* of the file, at the end */
};

/* Opens the file, new unless --force was given. 0, or -errno and err: then recording_file_drop is not needed. */
int recording_file_open(struct recording_file *file, const struct record_options *options, struct err *err);
/* What the recorder is to be told of SIGUSR1; NULL: nothing. */
const struct recorder_signal *recording_file_usr1(const struct recording_file *file);
/* The newest dump, one for which there is a reason at this moment included. false: there is none. */
bool recording_file_dump(struct recording_file *file, struct rotate_dumped *dumped);
/* What a live page needs of it. `name` is borrowed. */
struct live_page_stream recording_file_stream(struct recording_file *file, const struct record_options *options,
					      const char *name);
/* The recording is complete. 0, or -errno and err: it is in a folder of segments, whose path it has then. */
int recording_file_close(struct recording_file *file, struct err *err);
/* Nothing was recorded: removes the file, unless it holds what was there before. A device or a pipe is left alone. */
void recording_file_drop(struct recording_file *file);

#endif
