// SPDX-License-Identifier: Apache-2.0
#include "capture/source/other_note.h"

#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "capture/decode/recorded.h"
#include "capture/proc/namespace.h"
#include "capture/proc/package_version.h"
#include "event/event.h"
#include "event/process_note.h"
#include "runtime/other_runtimes.h"

/* Its root folder, while it lives; else ours. */
static void root_of(const struct target *target, pid_t pid, char *root, size_t size)
{
	snprintf(root, size, "%s/proc/%d/root", target->sysroot, (int)pid);
	if (pid <= 0 || pid >= NAMESPACE_UNKNOWN || access(root, X_OK))
		snprintf(root, size, "%s", target->sysroot);
}

int other_note(const struct target *target, const struct other_file *file, struct sink *out, struct err *err)
{
	bool is_told = file->title && *file->title;
	const char *title = is_told ? other_runtimes_titled(file->title) : other_runtimes_of(file->path);
	char root[PATH_MAX], version[64] = "";
	struct arg args[4] = { arg_int(KEY_PID, file->pid) };

	if (!title)
		return 0;
	root_of(target, file->pid, root, sizeof root);
	args[1] = arg_text(KEY_RUNTIME, out, title);
	args[2] = arg_text(KEY_PATH, out, file->path);
	if (package_version(root, file->path, version, sizeof version))
		args[3] = arg_text(KEY_VERSION, out, version);
	return recorded_note(
	    out, EVENT_NOTE_OTHER_RUNTIME,
	    &(struct event){ .track = file->track, .time_ns = file->now_ns, .args = args, .n_args = *version ? 4 : 3 },
	    err);
}
