// SPDX-License-Identifier: Apache-2.0
/* The file is that of the process, below its own root, as long as it lives; later, of this one's root if it is alike.
 */
#include "capture/source/caller_place.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "capture/proc/code_place.h"

enum { PATH = 4096, TEXT = 4096, MOST_MS = 2000, IN_ALL_MS = 5000 };
#define MS_NS UINT64_C(1000000)

static int open_module(const struct recorded *process, const char *path)
{
	char below[PATH + 64];
	int fd = -1;

	if (process->pid > 0 &&
	    snprintf(below, sizeof below, "/proc/%d/root%s", process->pid, path) < (int)sizeof below)
		fd = open(below, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	return fd < 0 && !process->is_elsewhere ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : fd;
}

uint32_t caller_place_of(struct recorded *process, struct names *names, const char *caller)
{
	const char *plus = strrchr(caller, '+');
	struct code_place place = { 0 };
	char path[PATH], text[TEXT];
	struct code_asked asked = { .name = path };
	uint64_t address, began_ns = clock_ns();
	int failed;
	struct err ignored;

	if (!plus || (size_t)(plus - caller) >= sizeof path || process->caller_wait_ns >= IN_ALL_MS * MS_NS)
		return names_of(names, caller);
	memcpy(path, caller, (size_t)(plus - caller));
	path[plus - caller] = 0;
	address = strtoull(plus + 1, NULL, 16);
	asked.fd = address ? open_module(process, path) : -1;
	if (asked.fd < 0)
		return names_of(names, caller);
	asked.address = address - 1; /* a call returns behind itself: that may be another line, or another function */
	asked.most_ms = MOST_MS;
	failed = code_place_find(&place, &asked, &ignored);
	close(asked.fd);
	process->caller_wait_ns += clock_ns() - began_ns;
	if (failed)
		return names_of(names, caller);
	if (place.line && *place.file)
		snprintf(text, sizeof text, "%s (%s:%u)", place.function, place.file, place.line);
	else
		snprintf(text, sizeof text, "%s (%s)", place.function, caller);
	return names_of(names, text);
}
