// SPDX-License-Identifier: Apache-2.0
/* Version 2 has "frozen 1" in cgroup.events, version 1 FROZEN in freezer.state; both also for a cgroup above. */
#include "capture/proc/freezer.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LOOK_NS UINT64_C(100000000)

static const struct place {
	const char *line, *folder, *file; /* line: what stands between the number and the path */
} places[FREEZER_PLACES] = {
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

/* Opens the files that say it: the root of a hierarchy has none. */
static void look_up(struct freezer *freezer, const char *sysroot, pid_t pid)
{
	char text[4096], whole[PATH_MAX];
	ssize_t got = proc_read(sysroot, pid, "cgroup", text, sizeof text - 1);

	freezer_close(freezer);
	text[got > 0 ? got : 0] = 0;
	for (size_t i = 0; i < FREEZER_PLACES; i++) {
		size_t len = 0;
		const char *path = path_of(text, places[i].line, &len);

		if (len > 1 && snprintf(whole, sizeof whole, "%s%s%.*s/%s", sysroot, places[i].folder, (int)len, path,
					places[i].file) < (int)sizeof whole)
			freezer->state[i].slot = open(whole, O_RDONLY | O_CLOEXEC) + 1;
	}
}

static bool is_frozen(const struct proc_file *file)
{
	char text[256];
	ssize_t got = file->slot ? pread(file->slot - 1, text, sizeof text - 1, 0) : -1;

	text[got > 0 ? got : 0] = 0;
	return strstr(text, "frozen 1") || !strncmp(text, "FROZEN", 6);
}

bool freezer_is_frozen(struct freezer *freezer, const char *sysroot, pid_t pid, uint64_t now_ns)
{
	bool result = false;

	if (*sysroot || !freezer->looked_ns || now_ns - freezer->looked_ns >= LOOK_NS) {
		look_up(freezer, sysroot, pid);
		freezer->looked_ns = now_ns;
	}
	for (size_t i = 0; i < FREEZER_PLACES; i++)
		result |= is_frozen(&freezer->state[i]);
	return result;
}

void freezer_close(struct freezer *freezer)
{
	for (size_t i = 0; i < FREEZER_PLACES; i++)
		proc_file_close(&freezer->state[i]);
	freezer->looked_ns = 0;
}
