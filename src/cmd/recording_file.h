/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file of a recording as a sink, and its name. What an existing file holds stays until the recording begins. The
 * sink is that of a stream whose names and track numbers are kept here, too.
 */
#ifndef CMD_RECORDING_FILE_H
#define CMD_RECORDING_FILE_H

#include "cmd/record_options.h"
#include "event/names.h"
#include "trace/perfetto/perfetto_write.h"

struct recording_file {
	const char *path; /* borrowed from the options, or in buf when it had to be made up */
	char buf[64];
	int fd;
	struct names *names;
	uint32_t last_track;
	struct perfetto_writer *writer;
	struct sink *sink;
};

/* Opens the file, new unless --force was given. 0, or -errno and err: then recording_file_drop is not needed. */
int recording_file_open(struct recording_file *file, const struct record_options *options, struct err *err);
/* The recording is complete. */
void recording_file_close(struct recording_file *file);
/* Nothing was recorded: removes the file, unless it holds what was there before. A device or a pipe is left alone. */
void recording_file_drop(struct recording_file *file);

#endif
