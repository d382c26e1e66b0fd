// SPDX-License-Identifier: Apache-2.0
/* Names, lists and removes segments. Opens none. */
#include "trace/rotate/rotate_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/invoker.h"

static const char suffix[] = ".pftrace", part[] = ".part";

struct rotate_path rotate_folder_of(const char *path)
{
	struct rotate_path folder;
	int n = snprintf(folder.s, sizeof folder.s, "%s.d", path);

	if (n < 0 || (size_t)n >= sizeof folder.s)
		*folder.s = 0;
	return folder;
}

struct rotate_name rotate_folder_name(uint64_t number)
{
	struct rotate_name name;

	snprintf(name.s, sizeof name.s, "%08u%s", (unsigned)number, suffix);
	return name;
}

/* The number of a segment's name; 0: it is no such name. */
static uint64_t number_of(const char *name)
{
	char *end;
	unsigned long number = strtoul(name, &end, 10);

	return *name >= '0' && *name <= '9' && number <= UINT32_MAX && !strcmp(end, suffix) ? number : 0;
}

static int by_number(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return a < b ? -1 : a > b;
}

static DIR *open_list(int fd)
{
	int own = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = own < 0 ? NULL : fdopendir(own);

	if (!list && own >= 0)
		close(own);
	return list;
}

int rotate_folder_list(int fd, uint64_t **numbers, size_t *n)
{
	DIR *list = open_list(fd);
	size_t capacity = 0;
	struct dirent *entry;

	*numbers = NULL;
	*n = 0;
	if (!list)
		return -errno;
	while ((entry = readdir(list))) {
		if (!number_of(entry->d_name))
			continue;
		if (!ARRAY_ROOM(*numbers, capacity, *n + 1))
			break;
		(*numbers)[(*n)++] = number_of(entry->d_name);
	}
	closedir(list);
	if (entry) {
		free(*numbers);
		*numbers = NULL;
		*n = 0;
		return -ENOMEM;
	}
	if (*n)
		qsort(*numbers, *n, sizeof **numbers, by_number);
	return 0;
}

static void remove_files(int fd)
{
	DIR *list = open_list(fd);
	struct dirent *entry;

	while (list && (entry = readdir(list))) {
		size_t len = strlen(entry->d_name), n = sizeof part - 1;
		if (number_of(entry->d_name) || (len > n && !strcmp(entry->d_name + len - n, part)))
			unlinkat(fd, entry->d_name, 0);
	}
	if (list)
		closedir(list);
}

void rotate_folder_remove(int fd, const char *path)
{
	remove_files(fd);
	rmdir(rotate_folder_of(path).s);
}

bool rotate_folder_is_used(const char *folder)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool is_used = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;

	if (fd >= 0)
		close(fd);
	return is_used;
}

int rotate_folder_make(const char *path, bool must_be_new, struct err *err)
{
	struct rotate_path folder = rotate_folder_of(path);
	int fd;

	if (!*folder.s)
		return err_set(err, ENAMETOOLONG, "cannot write %.100s...: its name is too long", path);
	if (mkdir(folder.s, 0700) && (errno != EEXIST || must_be_new))
		return errno == EEXIST
			   ? err_set(err, EEXIST,
				     "cannot write %s: its segments are in %s already; use another -o, or "
				     "--force to overwrite it",
				     path, folder.s)
			   : err_set(err, errno, "cannot make the folder %s: %s", folder.s, strerror(errno));
	fd = open(folder.s, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return err_set(err, errno, "cannot open the folder %s: %s", folder.s, strerror(errno));
	invoker_give(fd);
	if (flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) {
		close(fd);
		return err_set(err, EBUSY, "cannot write %s: another recorder is writing to %s", path, folder.s);
	}
	if (!must_be_new)
		remove_files(fd);
	return fd;
}
