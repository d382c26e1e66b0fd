/* SPDX-License-Identifier: Apache-2.0 */
/* What a process has loaded: whether a runtime is in it, and what is, if none. Reads files, never the process's memory.
 */
#ifndef CAPTURE_RECORDER_ATTACH_LOADED_H
#define CAPTURE_RECORDER_ATTACH_LOADED_H

#include "base/err.h"
#include "capture/proc/modules.h"

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

#endif
