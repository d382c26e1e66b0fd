// SPDX-License-Identifier: Apache-2.0
/* Reads VmHWM and VmRSS of /proc/self/status once. Takes no memory, and changes no errno. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/syscalls.h"
#include "capture/agent/agent.h"
#include "capture/agent/arm/arm.h"

static uint64_t kib_of(const char *text, const char *field)
{
	const char *at = strstr(text, field);
	uint64_t number = 0;

	for (at = at ? at + strlen(field) : ""; *at == ' ' || *at == '\t';)
		at++;
	for (; *at >= '0' && *at <= '9'; at++)
		number = number * 10 + (uint64_t)(*at - '0');
	return number;
}

void memory_tell(void)
{
	struct segment *segment = agent.segment;
	char text[4096];
	ssize_t got = -1;
	int saved = errno, fd;

	/* under a filter of its own, a process may not open files any more */
	if (__atomic_load_n(&segment->filtered, __ATOMIC_RELAXED) || segment->is_confined)
		return;
	call_begin();
	fd = call_open("/proc/self/status", O_RDONLY | O_CLOEXEC, 0);
	if (fd >= 0) {
		got = call_read(fd, text, sizeof text - 1);
		call_close(fd);
	}
	call_end();
	if (got > 0) {
		text[got] = 0;
		segment->resident_kib = kib_of(text, "\nVmRSS:");
		__atomic_store_n(&segment->peak_kib, kib_of(text, "\nVmHWM:"), __ATOMIC_RELEASE);
	}
	errno = saved;
}
