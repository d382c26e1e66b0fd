// SPDX-License-Identifier: Apache-2.0
/* Reads the files of a thread; two of them may stay open. */
#include "capture/stacks/stack_thread.h"

#include <stdio.h>

ssize_t stack_thread_read(struct stack_thread *thread, struct proc_file *file, pid_t pid, const char *name, char *to,
			  size_t size)
{
	char path[48];

	snprintf(path, sizeof path, "task/%d/%s", (int)thread->tid, name);
	if (!thread->is_kept || (file != &thread->sched && file != &thread->call))
		return proc_read("", pid, path, to, size);
	return proc_file_read(file, "", pid, path, to, size);
}
