// SPDX-License-Identifier: Apache-2.0
/* Version 2 has "frozen 1" in cgroup.events, version 1 FROZEN in freezer.state; both also for a cgroup above. */
#include "capture/proc/freezer.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "capture/proc/proc.h"

static const struct place {
	const char *line, *folder, *file; /* line: what stands between the number and the path */
} places[] = {
	{ ":freezer:", "/sys/fs/cgroup/freezer", "freezer.state" },
	{ "::", "/sys/fs/cgroup", "cgroup.events" },
	{ "::", "/sys/fs/cgroup/unified", "cgroup.events" },
};

/* The path on its line of /proc/PID/cgroup; NULL: there is none. *len: its length. */
static const char *path_of(const char *text, const char *line, size_t *len)
{
	size_t n = strlen(line);

	for (const char *at = text; at && *at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
		const char *colon = at + strspn(at, "0123456789");

		if (strncmp(colon, line, n) != 0)
			continue;
		*len = strcspn(colon + n, "\n");
		return colon + n;
	}
	return NULL;
}

static bool is_frozen(const char *path)
{
	char text[256];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;

	if (fd >= 0)
		close(fd);
	text[got > 0 ? got : 0] = 0;
	return strstr(text, "frozen 1") || !strncmp(text, "FROZEN", 6);
}

bool freezer_is_frozen(const char *sysroot, pid_t pid)
{
	char text[4096], whole[PATH_MAX];
	ssize_t got = proc_read(sysroot, pid, "cgroup", text, sizeof text - 1);

	text[got > 0 ? got : 0] = 0;
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		size_t len = 0;
		const char *path = path_of(text, places[i].line, &len);

		/* the root cannot be frozen */
		if (len > 1 &&
		    snprintf(whole, sizeof whole, "%s%s%.*s/%s", sysroot, places[i].folder, (int)len, path,
			     places[i].file) < (int)sizeof whole &&
		    is_frozen(whole))
			return true;
	}
	return false;
}
