// SPDX-License-Identifier: Apache-2.0
/* Reads SUDO_UID and SUDO_GID, which sudo sets; see invoker.h. */
#include "base/invoker.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

/* false: it is not there, or no number of an ordinary user or group. */
static bool read_id(const char *name, unsigned long *id)
{
	const char *text = getenv(name);
	char *end;

	if (!text || *text < '0' || *text > '9')
		return false;
	*id = strtoul(text, &end, 10);
	return !*end && *id && *id < 0xffffffff;
}

void invoker_give(int fd)
{
	unsigned long uid, gid;

	/* with the rights of a set-user-ID program, the environment is a stranger's */
	if (getuid() || geteuid() || !read_id("SUDO_UID", &uid) || !read_id("SUDO_GID", &gid))
		return;
	if (fchown(fd, (uid_t)uid, (gid_t)gid))
		return;
}

void invoker_give_folder(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);

	if (fd < 0)
		return;
	invoker_give(fd);
	close(fd);
}
