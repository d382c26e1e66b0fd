// SPDX-License-Identifier: Apache-2.0
/* The file is that of the process, below its own root, as long as it lives; later, of this one's root if it is alike.
 */
#include "capture/source/caller_place.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/proc/code_place.h"

enum { PATH = 4096, TEXT = 4096 };

static int open_module(const struct recorded *process, const char *path)
{
	char below[PATH + 64];
	int fd = -1;

	if (process->pid > 0 &&
	    snprintf(below, sizeof below, "/proc/%d/root%s", process->pid, path) < (int)sizeof below)
		fd = open(below, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	return fd < 0 && !process->is_elsewhere ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : fd;
}

uint32_t caller_place_of(const struct recorded *process, struct names *names, const char *caller)
{
	const char *plus = strrchr(caller, '+');
	struct code_place place = { 0 };
	char path[PATH], text[TEXT];
	uint64_t address;
	int fd, failed;

	if (!plus || (size_t)(plus - caller) >= sizeof path)
		return names_of(names, caller);
	memcpy(path, caller, (size_t)(plus - caller));
	path[plus - caller] = 0;
	address = strtoull(plus + 1, NULL, 16);
	fd = address ? open_module(process, path) : -1;
	if (fd < 0)
		return names_of(names, caller);
	/* a call returns behind itself, which may be another line, or another function */
	failed = code_place_find(&place, fd, path, address - 1, NULL);
	close(fd);
	if (failed)
		return names_of(names, caller);
	if (place.line && *place.file)
		snprintf(text, sizeof text, "%s (%s:%u)", place.function, place.file, place.line);
	else
		snprintf(text, sizeof text, "%s (%s)", place.function, caller);
	return names_of(names, text);
}
