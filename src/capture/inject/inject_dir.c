// SPDX-License-Identifier: Apache-2.0
/*
 * The folder lies below the target's root directory, which is reached through /proc/PID/root and may be anybody's
 * making: names are resolved as the target would, links cannot lead out of it. Our own descriptors keep it within reach
 * when the target has ended.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "capture/inject/inject_in.h"
#include "capture/proc/proc.h"

static const char prefix[] = "inftrace-inject-", copied[] = "libinftrace-agent.so";
static const char *const parents[] = { "dev/shm", "run", "tmp", "var/tmp" };
enum { PATH = 64, STALE_S = 10 };

static int open_root(pid_t pid)
{
	char path[PATH];

	snprintf(path, sizeof path, "/proc/%d/root", (int)proc_living("", pid));
	return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* A path as the process with this root resolves it. */
static int open_in(int root, const char *path, int flags)
{
	struct open_how how = { .flags = (uint64_t)(flags | O_CLOEXEC),
				.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };

	return (int)syscall(SYS_openat2, root, path, &how, sizeof how);
}

/* Whether somebody reads from this FIFO; anything else that bears the name is left alone. */
static bool has_reader(int dir, const char *name)
{
	struct stat stat_;
	int fd;

	if (fstatat(dir, name, &stat_, AT_SYMLINK_NOFOLLOW) || !S_ISFIFO(stat_.st_mode))
		return false;
	fd = openat(dir, name, O_WRONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* A folder in which nobody reads from the lifeline any more is of a recorder that was killed. */
static void remove_left(int parent, const char *name)
{
	int dir = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct dirent *entry;
	struct stat stat_;
	DIR *list;

	if (dir < 0)
		return;
	/* one that was made a moment ago has no reader yet */
	if (fstat(dir, &stat_) || stat_.st_uid != geteuid() || stat_.st_mtime + STALE_S > time(NULL) ||
	    has_reader(dir, FERRY_LIFELINE) || !(list = fdopendir(dir))) {
		close(dir);
		return;
	}
	while ((entry = readdir(list)))
		if (entry->d_name[0] != '.')
			unlinkat(dir, entry->d_name, 0);
	closedir(list);
	unlinkat(parent, name, AT_REMOVEDIR);
}

static void remove_stale(int parent)
{
	int again = openat(parent, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = again < 0 ? NULL : fdopendir(again);
	struct dirent *entry;

	while (list && (entry = readdir(list)))
		if (!strncmp(entry->d_name, prefix, strlen(prefix)))
			remove_left(parent, entry->d_name);
	if (list)
		closedir(list);
}

static int make_lifeline(struct inject *inject)
{
	if (mkfifoat(inject->dir, FERRY_LIFELINE, 0600))
		return -1;
	return openat(inject->dir, FERRY_LIFELINE, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
}

static int make_in(struct inject *inject, const char *parent)
{
	uint64_t number;
	struct stat stat_;

	if (getrandom(&number, sizeof number, 0) != sizeof number)
		return -1;
	snprintf(inject->name, sizeof inject->name, "%s%016llx", prefix, (unsigned long long)number);
	remove_stale(inject->parent);
	if (mkdirat(inject->parent, inject->name, 0700))
		return -1;
	inject->dir = openat(inject->parent, inject->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (inject->dir >= 0 && !fstat(inject->dir, &stat_) && stat_.st_uid == geteuid() &&
	    (inject->lifeline = make_lifeline(inject)) >= 0) {
		snprintf(inject->head.dir, sizeof inject->head.dir, "/%s/%s", parent, inject->name);
		snprintf(inject->ring_dir, sizeof inject->ring_dir, "/proc/self/fd/%d", inject->dir);
		return 0;
	}
	inject_dir_remove(inject);
	return -1;
}

static bool is_noexec(int dir)
{
	struct statvfs at;

	return fstatvfs(dir, &at) || (at.f_flag & ST_NOEXEC);
}

/* is_copied: the agent will lie there, too. */
static int make(struct inject *inject, int root, bool is_copied, struct err *err)
{
	for (size_t i = 0; i < sizeof parents / sizeof *parents; i++) {
		inject->parent = open_in(root, parents[i], O_RDONLY | O_DIRECTORY);
		if (inject->parent < 0)
			continue;
		if (!(is_copied && is_noexec(inject->parent)) && !make_in(inject, parents[i]))
			return 0;
		close(inject->parent);
		inject->parent = -1;
	}
	return err_set(
	    err, EACCES,
	    "cannot inject: process %d has no /dev/shm, /run, /tmp or /var/tmp in which a folder can be made%s",
	    (int)inject->pid, is_copied ? " from which a library may be loaded" : "");
}

static int copy_agent(struct inject *inject, const char *agent, struct err *err)
{
	int from = open(agent, O_RDONLY | O_CLOEXEC), to, code = 0;
	ssize_t n;

	if (from < 0)
		return err_set(err, errno, "cannot read %s: %s", agent, strerror(errno));
	to = openat(inject->dir, copied, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0700);
	while (to >= 0 && (n = sendfile(to, from, NULL, 1 << 20)) > 0)
		;
	if (to < 0 || n < 0)
		code = err_set(err, errno, "cannot copy the agent into the file system of process %d: %s",
			       (int)inject->pid, strerror(errno));
	close(from);
	if (to >= 0)
		close(to);
	if (!code)
		snprintf(inject->head.agent, sizeof inject->head.agent, "%s/%s", inject->head.dir, copied);
	return code;
}

/* Whether the file at this path is the same for it and for us. */
static bool sees(int root, const char *path)
{
	struct stat ours, its;
	int fd = open_in(root, path, O_RDONLY);
	bool same =
	    fd >= 0 && !fstat(fd, &its) && !stat(path, &ours) && its.st_dev == ours.st_dev && its.st_ino == ours.st_ino;

	if (fd >= 0)
		close(fd);
	return same;
}

int inject_dir_make(struct inject *inject, const char *agent, struct err *err)
{
	int root = open_root(inject->pid), code;
	bool is_copied;

	if (root < 0)
		return err_set(err, errno, "cannot inject: cannot open the root directory of process %d: %s",
			       (int)inject->pid, strerror(errno));
	is_copied = strlen(agent) >= sizeof inject->head.agent || !sees(root, agent);
	code = make(inject, root, is_copied, err);
	if (!code && is_copied)
		code = copy_agent(inject, agent, err);
	else if (!code)
		strcpy(inject->head.agent, agent);
	close(root);
	return code;
}

void inject_dir_remove(struct inject *inject)
{
	int again = inject->dir < 0 ? -1 : openat(inject->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = again < 0 ? NULL : fdopendir(again);
	struct dirent *entry;

	while (list && (entry = readdir(list)))
		if (entry->d_name[0] != '.')
			unlinkat(inject->dir, entry->d_name, 0);
	if (list)
		closedir(list);
	if (inject->lifeline >= 0)
		close(inject->lifeline);
	if (inject->dir >= 0)
		close(inject->dir);
	if (inject->parent >= 0) {
		unlinkat(inject->parent, inject->name, AT_REMOVEDIR);
		close(inject->parent);
	}
	inject->lifeline = inject->dir = inject->parent = -1;
}

bool inject_dir_is_in_use(const struct inject *inject, const struct ferry_head *head)
{
	int root = open_root(inject->pid), dir = -1;
	bool is_used;

	if (root >= 0 && memchr(head->dir, 0, sizeof head->dir))
		dir = open_in(root, head->dir, O_RDONLY | O_DIRECTORY);
	is_used = dir >= 0 && has_reader(dir, FERRY_LIFELINE);
	if (dir >= 0)
		close(dir);
	if (root >= 0)
		close(root);
	return is_used;
}
