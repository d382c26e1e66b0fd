/* SPDX-License-Identifier: Apache-2.0 */
/* What attach and next share: their options, and a recording of programs that were chosen, into a file. */
#ifndef CMD_ATTACH_FILE_H
#define CMD_ATTACH_FILE_H

#include "capture/recorder/attach/attach.h"
#include "cmd/record/probe_options.h"
#include "cmd/record/record_in.h"
#include "cmd/record/record_options.h"

/*
 * Before anything is done: that the options make sense, and that this process can attach at all. live: NULL where there
 * is no such page. 0, opt_misused's code or -errno, and err.
 */
int attach_file_check(const struct record_options *options, const struct live_options *live,
		      const struct attach_wish *wish, struct err *err);

/*
 * Records into the file of the options, and prints messages, progress and the summary. command: what is recorded. 0, or
 * -errno and err: nothing was recorded, and no file is left.
 */
int attach_file_record(const struct record_options *options, const struct live_options *live,
		       struct recorder_attach_opts *attach, const char *command, struct err *err);

#endif
