/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of attach share, for them only. */
#ifndef CAPTURE_RECORDER_ATTACH_ATTACH_IN_H
#define CAPTURE_RECORDER_ATTACH_ATTACH_IN_H

#include "base/err.h"
#include "capture/probe/uprobes.h"
#include "capture/proc/modules.h"
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

/* What a process has loaded: whether a runtime is in it, and what is, if none. Reads files, never the process's memory.
 */
enum attach_loaded {
	ATTACH_RUNTIME,
	ATTACH_NO_RUNTIME,
	ATTACH_UNREADABLE, /* not allowed to look, or gone */
};

/* seen: files that were looked into before. */
enum attach_loaded attach_loaded(struct modules_seen *seen, pid_t pid);

/*
 * The same, and calls `each` for every runtime in the process. fd: of its file, open for the call. False: stop there.
 * err: why it is unreadable.
 */
typedef bool attach_loaded_fn(void *ctx, const struct module *module, int fd);
enum attach_loaded attach_loaded_each(struct modules_seen *seen, pid_t pid, attach_loaded_fn *each, void *ctx,
				      struct err *err);

/*
 * There is nothing to attach to in this process: says so in err, and what it has loaded instead. name: the program's.
 * -errno.
 */
int attach_loaded_nothing(const char *name, pid_t pid, struct err *err);

/* Programs that come while a recording runs: each that loads a runtime and is wanted gets probes before it goes on. */
struct attach_next;

/*
 * Watches from now on, and takes attached.look: programs that fit the wish are added to attached. With takes_one the
 * first ends the watching. job and uprobes stay the caller's, and must stay. NULL and err: a right is missing.
 */
struct attach_next *attach_next_open(const struct attach_job *job, struct uprobes *uprobes, struct err *err);
/* NULL is fine. */
void attach_next_close(struct attach_next *all);

#endif
