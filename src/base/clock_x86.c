// SPDX-License-Identifier: Apache-2.0
/* The time stamp counter is a clock if the kernel uses it as one: it compares counters of all CPUs, and watches. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

static bool file_has(const char *sysroot, const char *path, const char *words[2])
{
	char name[512], text[8192];
	ssize_t n;
	int fd;

	snprintf(name, sizeof name, "%s%s", sysroot ? sysroot : "", path);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, sizeof text - 1);
	close(fd);
	if (n <= 0)
		return false;
	text[n] = 0;
	return strstr(text, words[0]) && strstr(text, words[1]);
}

bool clock_is_invariant(const char *sysroot, const char **reason)
{
	const char *flags[2] = { "constant_tsc", "nonstop_tsc" }, *source[2] = { "tsc", "tsc" };

	if (file_has(sysroot, "/sys/devices/system/clocksource/clocksource0/current_clocksource", source))
		return true;
	if (reason)
		*reason = file_has(sysroot, "/proc/cpuinfo", flags)
			      ? "the kernel does not use the TSC as its clock source"
			      : "the processor's TSC is not invariant";
	return false;
}
