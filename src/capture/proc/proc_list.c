// SPDX-License-Identifier: Apache-2.0
/* Walks the folders of /proc. Processes and threads may vanish at every step; that is not an error. */
#include "capture/proc/proc_list.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/proc/proc.h"

/* 0: not a pid. */
static pid_t pid_of(const char *text, size_t len)
{
	uint64_t value = 0;

	for (size_t i = 0; i < len; i++) {
		if (text[i] < '0' || text[i] > '9' || value > INT_MAX)
			return 0;
		value = value * 10 + (uint64_t)(text[i] - '0');
	}
	return value <= INT_MAX ? (pid_t)value : 0;
}

/* A list of pids may be longer than any buffer: a pid may begin in one read and end in the next. */
static int each_pid(int fd, int (*found)(void *ctx, pid_t pid), void *ctx)
{
	char buf[4096], word[16];
	size_t word_len = 0;
	ssize_t got;

	while ((got = read(fd, buf, sizeof buf)) > 0) {
		for (ssize_t i = 0; i < got; i++) {
			if (buf[i] != ' ' && buf[i] != '\n') {
				if (word_len < sizeof word)
					word[word_len++] = buf[i];
				continue;
			}
			pid_t pid = pid_of(word, word_len);
			int result = pid ? found(ctx, pid) : 0;
			if (result < 0)
				return result;
			word_len = 0;
		}
	}
	return 0;
}

static int thread_children(int task_fd, const char *tid, int (*found)(void *ctx, pid_t child), void *ctx)
{
	char path[NAME_MAX + sizeof "/children"];
	int fd, result;

	snprintf(path, sizeof path, "%s/children", tid);
	fd = openat(task_fd, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		/* Is the file missing, or has the thread ended? */
		if (errno == ENOENT && !faccessat(task_fd, tid, F_OK, 0))
			return -ENOSYS;
		return 0;
	}
	result = each_pid(fd, found, ctx);
	close(fd);
	return result;
}

int proc_children(const char *sysroot, pid_t pid, int (*found)(void *ctx, pid_t child), void *ctx)
{
	char path[PATH_MAX];
	struct dirent *entry;
	int used, result = 0;
	DIR *dir;

	used = snprintf(path, sizeof path, "%s/proc/%d/task", sysroot, (int)pid);
	if (used < 0 || (size_t)used >= sizeof path)
		return -ENAMETOOLONG;
	dir = opendir(path);
	if (!dir)
		return errno == ENOENT ? -ESRCH : -errno;
	while (result >= 0 && (entry = readdir(dir))) {
		if (pid_of(entry->d_name, strlen(entry->d_name)))
			result = thread_children(dirfd(dir), entry->d_name, found, ctx);
	}
	closedir(dir);
	return result < 0 ? result : 0;
}

static int add_row(struct proc_row **rows, size_t *n_rows, const struct proc_row *row)
{
	/* Doubles the room whenever the number is a power of two. */
	if (!(*n_rows & (*n_rows - 1))) {
		struct proc_row *bigger = realloc(*rows, (*n_rows ? *n_rows * 2 : 1) * sizeof *bigger);
		if (!bigger)
			return -ENOMEM;
		*rows = bigger;
	}
	(*rows)[(*n_rows)++] = *row;
	return 0;
}

int proc_list(const char *sysroot, struct proc_row **rows, size_t *n_rows)
{
	char path[PATH_MAX], text[1024];
	struct dirent *entry;
	int used, result = 0;
	DIR *dir;

	*rows = NULL;
	*n_rows = 0;
	used = snprintf(path, sizeof path, "%s/proc", sysroot);
	if (used < 0 || (size_t)used >= sizeof path)
		return -ENAMETOOLONG;
	dir = opendir(path);
	if (!dir)
		return -errno;
	while (!result && (entry = readdir(dir))) {
		struct proc_row row = { .pid = pid_of(entry->d_name, strlen(entry->d_name)) };
		struct proc_stat stat;
		ssize_t got = row.pid ? proc_read(sysroot, row.pid, "stat", text, sizeof text) : 0;
		if (got <= 0 || !proc_stat_parse(text, (size_t)got, &stat) || proc_is_zombie(&stat))
			continue;
		row.parent = stat.parent;
		result = add_row(rows, n_rows, &row);
	}
	closedir(dir);
	if (result) {
		free(*rows);
		*rows = NULL;
		*n_rows = 0;
	}
	return result;
}
