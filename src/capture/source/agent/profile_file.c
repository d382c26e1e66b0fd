// SPDX-License-Identifier: Apache-2.0
/*
 * The runtime opens the file when it creates the session, and keeps it open until profiling ends. Programs open models
 * early: the first descriptors are enough.
 */
#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "capture/source/agent/source_agent_in.h"
#include "event/process_note.h"

enum { FIRST = 3, MOST = 64, EVERY_NS = 250000000 };

/* The end of the time at the end of it, which is written in this form: d is a digit. */
static const char form[] = "_dddd-dd-dd_dd-dd-dd";

static bool is_time(const char *text)
{
	for (size_t i = 0; form[i]; i++)
		if (form[i] == 'd' ? !isdigit((unsigned char)text[i]) : text[i] != form[i])
			return false;
	return true;
}

bool profile_file_is_one(const char *path)
{
	static const char end[] = ".json";
	size_t len = strlen(path), n = sizeof form - 1, at;

	if (len < n + sizeof end - 1 || strcmp(path + len - (sizeof end - 1), end) != 0)
		return false;
	at = len - (sizeof end - 1);
	if (is_time(path + at - n))
		return true;
	while (at && isdigit((unsigned char)path[at - 1]))
		at--;
	return at > n && path[at - 1] == '_' && is_time(path + at - 1 - n);
}

int profile_file_look(struct recorded *process, const struct target *target, struct sink *out, uint64_t now_ns,
		      struct err *err)
{
	char name[PATH_MAX], path[PATH_MAX];
	struct arg args[2];

	if (process->is_profile_noted || !process->has_runtime || now_ns < process->profile_due_ns)
		return 0;
	process->profile_due_ns = now_ns + EVERY_NS;
	for (int fd = FIRST; fd < MOST; fd++) {
		ssize_t len;

		snprintf(name, sizeof name, "%s/proc/%d/fd/%d", target->sysroot, (int)process->pid, fd);
		len = readlink(name, path, sizeof path - 1);
		path[len > 0 ? len : 0] = 0;
		if (!profile_file_is_one(path))
			continue;
		process->is_profile_noted = true;
		args[0] = arg_int(KEY_PID, process->pid);
		args[1] = arg_text(KEY_PATH, out, path);
		return recorded_note(
		    out, EVENT_NOTE_PROFILED,
		    &(struct event){
			.track = recorded_track(process, out), .time_ns = now_ns, .args = args, .n_args = 2 },
		    err);
	}
	return 0;
}
