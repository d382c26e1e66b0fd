/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of attach share, for them only. */
#ifndef CAPTURE_RECORDER_ATTACH_IN_H
#define CAPTURE_RECORDER_ATTACH_IN_H

#include "capture/recorder/attach/attach.h"

struct attach_job {
	const struct recorder_opts *opts;
	struct recorder_attach_opts *attach;
	struct recorder_result *result;
};

/* The two ways. 0, or -errno and err. */
int attach_probe(const struct attach_job *job, struct err *err);
int attach_inject(const struct attach_job *job, struct err *err);

/* Runs the recorder over the programs. 0, or -errno and err: nothing was recorded. */
int attach_record(const struct attach_job *job, struct recorder_way *way, struct err *err);

/* The program's name; "?" when it has ended. */
void attach_called(pid_t pid, char *name, size_t size);
/* Says that it is recorded, and how many CPUs it may use if these are not all. */
void attach_say_recording(const struct attach_job *job, const char *name, pid_t pid);
/* Says, once, what of the runtimes in this process is not understood and not recorded. */
void attach_say_left_out(const struct attach_job *job, struct uprobes *uprobes, pid_t pid);

#endif
