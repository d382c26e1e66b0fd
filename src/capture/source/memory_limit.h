/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes of the recorded cgroups that the kernel killed because there was no memory, and why there was none: the
 * limit of a cgroup, of theirs or one above it, or the machine's. Both versions of cgroups. Notes each time.
 */
#ifndef CAPTURE_SOURCE_MEMORY_LIMIT_H
#define CAPTURE_SOURCE_MEMORY_LIMIT_H

#include "base/array.h"
#include "capture/source/kill_log.h"
#include "capture/source/source.h"

/* Starts zeroed. */
struct memory_limit {
	struct array groups; /* struct limited */
	struct kill_log log;
	uint64_t due_ns, began_ns, n_news, n_ended; /* the last two: of the tree, when it was last looked at */
};

/* Once per interval, and when a process or the target ends: its cgroup may be removed soon. 0, -ENOMEM, or the sink's
 * error. */
int memory_limit_drain(struct memory_limit *limit, const struct target *target, struct sink *out, uint64_t now_ns,
		       struct err *err);
void memory_limit_done(struct memory_limit *limit);

#endif
