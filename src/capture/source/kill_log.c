// SPDX-License-Identifier: Apache-2.0
/*
 * A record of the log is what one read returns: "4,1523,68407859323,-;oom-kill:constraint=CONSTRAINT_MEMCG,...
 * oom_memcg=/pod,task_memcg=/pod/app,task=python,pid=578,uid=0". Names of cgroups may contain commas.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "capture/source/memory_limit.h"

void kill_log_open(struct kill_log *log, const char *sysroot)
{
	char path[KILL_PATH];

	snprintf(path, sizeof path, "%s/dev/kmsg", sysroot);
	log->fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) + 1;
	if (log->fd)
		lseek(log->fd - 1, 0, SEEK_END);
}

/* What stands between the two; false: either is missing, or it is too long. */
static bool between(const char *text, const char *before, const char *after, char to[KILL_PATH])
{
	const char *from = strstr(text, before), *end = from ? strstr(from, after) : NULL;
	size_t len = end ? (size_t)(end - from) - strlen(before) : KILL_PATH;

	if (len >= KILL_PATH)
		return false;
	memcpy(to, from + strlen(before), len);
	to[len] = 0;
	return true;
}

static bool parse(const char *text, struct kill_logged *to)
{
	*to->limited = 0;
	if (!strstr(text, ";oom-kill:") || !between(text, "task_memcg=", ",task=", to->path))
		return false;
	return !strstr(text, "CONSTRAINT_MEMCG") || between(text, "oom_memcg=", ",task_memcg=", to->limited);
}

bool kill_log_next(struct kill_log *log, struct kill_logged *to)
{
	char text[8192];
	ssize_t got;

	while (log->fd) {
		got = read(log->fd - 1, text, sizeof text - 1);
		if (got < 0 && (errno == EPIPE || errno == EINTR)) /* older ones were overwritten */
			continue;
		if (got <= 0)
			return false;
		text[got] = 0;
		if (parse(text, to))
			return true;
	}
	return false;
}

void kill_log_close(struct kill_log *log)
{
	if (log->fd)
		close(log->fd - 1);
	log->fd = 0;
}
