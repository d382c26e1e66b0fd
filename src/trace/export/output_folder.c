// SPDX-License-Identifier: Apache-2.0
/* Makes a folder beside the one that is wanted and gives it, or its files, their place. Writes no file. */
#include "trace/export/output_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int failed(const struct output_folder *folder, struct err *err)
{
	if (errno == EEXIST || errno == ENOTEMPTY)
		return err_set(err, EEXIST,
			       "cannot write %s: it exists already; use another -o, or --force to overwrite its tables",
			       folder->path);
	return err_set(err, errno, "cannot write %s: %s", folder->path, strerror(errno));
}

/* Without the slashes at its end. */
static size_t length_of(const char *path)
{
	size_t len = strlen(path);

	while (len > 1 && path[len - 1] == '/')
		len--;
	return len;
}

int output_folder_open(struct output_folder *folder, const char *path, bool is_forced, struct err *err)
{
	struct stat stat;
	size_t len = length_of(path);

	*folder = (struct output_folder){ .path = path, .fd = -1, .is_forced = is_forced };
	if (!strcmp(path, "-"))
		return err_set(err, EINVAL,
			       "cannot write tables to standard output: they are several files; give -o FOLDER, or "
			       "--table for one");
	if (!lstat(path, &stat)) {
		errno = EEXIST;
		if (!is_forced)
			return failed(folder, err);
		errno = ENOTDIR;
		if (!S_ISDIR(stat.st_mode))
			return failed(folder, err);
	}
	if (len + 8 > sizeof folder->temporary)
		return err_set(err, ENAMETOOLONG, "cannot write %.100s...: its name is too long", path);
	snprintf(folder->temporary, sizeof folder->temporary, "%.*s.XXXXXX", (int)len, path);
	if (!mkdtemp(folder->temporary)) {
		*folder->temporary = 0;
		return failed(folder, err);
	}
	folder->fd = open(folder->temporary, O_DIRECTORY | O_CLOEXEC | O_RDONLY);
	return folder->fd < 0 ? failed(folder, err) : 0;
}

/* Calls `each` with the name of each file. 0, or its first result that is not 0. */
static int walk(const struct output_folder *folder, int (*each)(const struct output_folder *, const char *))
{
	DIR *list = opendir(folder->temporary);
	const struct dirent *entry;
	int code = 0;

	if (!list)
		return -1;
	while (!code && (entry = readdir(list)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			code = each(folder, entry->d_name);
	closedir(list);
	return code;
}

static int move_file(const struct output_folder *folder, const char *name)
{
	char path[PATH_MAX + NAME_MAX + 2];

	snprintf(path, sizeof path, "%s/%s", folder->path, name);
	return renameat(folder->fd, name, AT_FDCWD, path);
}

static int remove_file(const struct output_folder *folder, const char *name)
{
	return unlinkat(folder->fd, name, 0);
}

int output_folder_keep(struct output_folder *folder, struct err *err)
{
	int code = renameat2(AT_FDCWD, folder->temporary, AT_FDCWD, folder->path, RENAME_NOREPLACE);

	/* NFS, 9p ... cannot refuse to replace, but no folder is replaced that has files */
	if (code && (errno == EINVAL || errno == ENOSYS))
		code = rename(folder->temporary, folder->path);
	if (!code)
		*folder->temporary = 0;
	else if ((errno == EEXIST || errno == ENOTEMPTY) && folder->is_forced)
		code = walk(folder, move_file);
	code = code ? failed(folder, err) : 0;
	output_folder_drop(folder);
	return code;
}

void output_folder_drop(struct output_folder *folder)
{
	if (*folder->temporary && folder->fd >= 0)
		walk(folder, remove_file);
	if (*folder->temporary)
		rmdir(folder->temporary);
	if (folder->fd >= 0)
		close(folder->fd);
	folder->fd = -1;
	*folder->temporary = 0;
}
