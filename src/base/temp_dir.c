// SPDX-License-Identifier: Apache-2.0
/* Makes and removes folders for temporary files. */
#include "base/temp_dir.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int temp_dir_make(char *path, size_t size, const char *what, struct err *err)
{
	const char *parent = getenv("TMPDIR");

	if (snprintf(path, size, "%s/inftrace-%s-XXXXXX", parent && *parent ? parent : "/tmp", what) >= (int)size)
		return err_set(err, ENAMETOOLONG, "cannot make a folder for %s: TMPDIR is too long", what);
	if (!mkdtemp(path))
		return err_set(err, errno, "cannot make a folder for %s, %s: %s", what, path, strerror(errno));
	return 0;
}

void temp_dir_remove(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		unlinkat(dirfd(dir), entry->d_name, 0); /* fails for "." and "..", which are folders */
	if (dir)
		closedir(dir);
	rmdir(path);
}
