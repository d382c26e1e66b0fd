// SPDX-License-Identifier: Apache-2.0
/*
 * Searches /proc for the process or thread whose "NSpid:" line, which lists its numbers from our namespace inwards,
 * ends with the given number. Only used for processes of other namespaces.
 */
#include "capture/proc/namespace.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/proc/proc.h"
#include "capture/proc/proc_list.h"

static uint64_t inode_of(pid_t pid)
{
	char path[64];
	struct stat stat_;

	if (pid)
		snprintf(path, sizeof path, "/proc/%d/ns/pid", (int)pid);
	else
		strcpy(path, "/proc/self/ns/pid");
	return stat(path, &stat_) ? 0 : stat_.st_ino;
}

uint64_t namespace_own(void)
{
	return inode_of(0);
}

int namespace_check_proc(struct err *err)
{
	char link[32];
	ssize_t len = readlink("/proc/self", link, sizeof link - 1);

	link[len > 0 ? len : 0] = 0;
	if (len > 0 && strtol(link, NULL, 10) == getpid())
		return 0;
	if (len <= 0 && access("/proc/stat", F_OK))
		return err_set(err, ENOENT,
			       "cannot list processes: /proc is not mounted; run: mount -t proc proc /proc");
	return err_set(err, EXDEV,
		       "cannot list processes: /proc belongs to another pid namespace, so its PIDs do not match; run: "
		       "mount -t proc proc /proc (with unshare: --mount-proc)");
}

/* The innermost number in a status file; 0: it has only ours. */
static pid_t innermost(const char *text)
{
	const char *at = strstr(text, "\nNSpid:");
	long last = 0;
	int n = 0;

	if (!at)
		return 0;
	for (at += 7; *at && *at != '\n'; n++) {
		char *end;
		last = strtol(at, &end, 10);
		if (end == at)
			break;
		at = end;
	}
	return n > 1 ? (pid_t)last : 0;
}

static pid_t innermost_of(pid_t pid, const char *file)
{
	char text[4096];
	ssize_t got = proc_read("", pid, file, text, sizeof text - 1);

	if (got < 0)
		return 0;
	text[got] = 0;
	return innermost(text);
}

pid_t namespace_pid(uint64_t namespace, pid_t pid)
{
	struct proc_row *rows;
	size_t n_rows;
	pid_t found = 0;

	if (proc_list("", &rows, &n_rows))
		return 0;
	for (size_t i = 0; i < n_rows && !found; i++)
		if (innermost_of(rows[i].pid, "status") == pid && inode_of(rows[i].pid) == namespace)
			found = rows[i].pid;
	free(rows);
	return found;
}

pid_t namespace_tid(pid_t outer, pid_t tid)
{
	char path[64], file[64];
	struct dirent *entry;
	pid_t found = 0;
	DIR *dir;

	snprintf(path, sizeof path, "/proc/%d/task", (int)outer);
	dir = opendir(path);
	while (dir && !found && (entry = readdir(dir))) {
		pid_t task = (pid_t)strtol(entry->d_name, NULL, 10);
		snprintf(file, sizeof file, "task/%d/status", (int)task);
		if (task > 0 && innermost_of(outer, file) == tid)
			found = task;
	}
	if (dir)
		closedir(dir);
	return found;
}

bool namespace_is_first(const char *sysroot)
{
	/* The first process-id namespace of a kernel has this fixed number. */
	static const char first[] = "pid:[4026531836]";
	char path[PATH_MAX], link[64];
	ssize_t len;

	if (snprintf(path, sizeof path, "%s/proc/self/ns/pid", sysroot) >= (int)sizeof path)
		return false;
	len = readlink(path, link, sizeof link);
	return len == sizeof first - 1 && !memcmp(link, first, sizeof first - 1);
}
