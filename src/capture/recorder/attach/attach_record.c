// SPDX-License-Identifier: Apache-2.0
/* What both ways to see into a program have in common. Knows neither. */
#include <errno.h>
#include <stdio.h>

#include "capture/probe/uprobe.h"
#include "capture/proc/usable_cpus.h"
#include "capture/recorder/attach/attach_find.h"
#include "capture/recorder/attach/attach_in.h"

int attach_record(const struct attach_job *job, struct recorder_way *way, struct err *err)
{
	const struct attached *attached = job->attach->attached;
	bool waits = attached->waits || job->attach->takes_one;
	int code;

	way->attached = job->attach->attached;
	code = recorder_run(job->opts, way, job->result, err);
	if (!code && !job->result->n_processes && !waits)
		code = err_set(err, ESRCH, "nothing was recorded: the program ended first");
	return code;
}

void attach_called(pid_t pid, char *name, size_t size)
{
	struct attach_match match;
	struct err ignored;

	snprintf(name, size, "%s", attach_find_pid(pid, &match, &ignored) ? "?" : match.name);
}

void attach_say_recording(const struct attach_job *job, const char *name, pid_t pid)
{
	char cpus[120] = "";
	struct usable_cpus usable;

	usable_cpus_find(&usable, "", pid);
	if (usable_cpus_are_limited(&usable))
		usable_cpus_say(&usable, cpus, sizeof cpus);
	say_info(&job->opts->say, "recording %s (%d)%s%s%s; Ctrl-C ends the recording, the program goes on", name,
		 (int)pid, *cpus ? ", which may use " : "", cpus,
		 attach_find_is_stopped(pid) ? ", which is stopped (SIGSTOP, or a debugger) and does nothing just now"
					     : "");
}

void attach_say_left_out(const struct attach_job *job, struct uprobes *uprobes, pid_t pid)
{
	for (uint32_t i = 0; i < UPROBE_MAX_ARMED; i++) {
		const struct uprobes_copy *copy = uprobes_copy(uprobes, i);
		if (copy && copy->pid == pid && copy->is_new && *copy->left_out)
			say_warning(&job->opts->say, "%s %s in %s is only partly supported; not recorded: %s",
				    copy->runtime, *copy->version ? copy->version : "(unknown version)", copy->path,
				    copy->left_out);
	}
}
