// SPDX-License-Identifier: Apache-2.0
/*
 * Some file systems cannot refuse to replace a file by rename (NFS, 9p, many in user space), and some of these have no
 * links either. Moves no folder there.
 */
#include "base/new_name.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* Takes the name by an empty file, which only this call replaces. */
static int take_and_replace(int folder, const char *name, const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600), error;

	if (fd < 0)
		return -1;
	close(fd);
	if (!renameat(folder, name, AT_FDCWD, path))
		return 0;
	error = errno;
	unlink(path);
	errno = error;
	return -1;
}

int new_name_give(int folder, const char *name, const char *path)
{
	if (!renameat2(folder, name, AT_FDCWD, path, RENAME_NOREPLACE))
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -1;
	if (!linkat(folder, name, AT_FDCWD, path, 0)) {
		unlinkat(folder, name, 0);
		return 0;
	}
	return errno == EEXIST ? -1 : take_and_replace(folder, name, path);
}
