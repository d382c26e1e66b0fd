// SPDX-License-Identifier: Apache-2.0
/*
 * Reads /proc/cpuinfo, /proc/meminfo and /proc/stat below the sysroot; the kernel's name comes from uname, which has no
 * sysroot.
 */
#include "capture/proc/machine.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "capture/proc/cpuinfo.h"
#include "capture/proc/proc.h"

__attribute__((format(printf, 3, 4))) static void add(char *text, size_t size, const char *format, ...)
{
	size_t used = strlen(text);
	va_list args;

	if (used && used + 3 < size)
		used += strlen(strcpy(text + used, ", "));
	va_start(args, format);
	vsnprintf(text + used, size - used, format, args);
	va_end(args);
}

void machine_processor(const char *sysroot, char *text, size_t size)
{
	char info[4096];
	ssize_t got = proc_read(sysroot, 0, "cpuinfo", info, sizeof info - 1);

	info[got > 0 ? got : 0] = 0;
	cpuinfo_name(info, text, size);
}

/* Counts the lines "cpu0 ...", "cpu1 ...": CPUs that are online. */
unsigned machine_cpus(const char *sysroot)
{
	enum { SIZE = 64 << 10 };
	char *stat = calloc(1, SIZE);
	unsigned n = 0;

	if (stat && proc_read(sysroot, 0, "stat", stat, SIZE - 1) > 0)
		for (const char *at = stat; (at = strstr(at, "\ncpu")); at++)
			n++;
	free(stat);
	return n;
}

void machine_describe(const char *sysroot, char *text, size_t size)
{
	char memory[4096];
	ssize_t got = proc_read(sysroot, 0, "meminfo", memory, sizeof memory);
	unsigned n_cpus = machine_cpus(sysroot);
	struct utsname kernel;
	uint64_t kib;

	machine_processor(sysroot, text, size);
	if (n_cpus)
		add(text, size, "%u CPU%s", n_cpus, n_cpus == 1 ? "" : "s");
	if (got > 0 && proc_field(memory, (size_t)got, "MemTotal", &kib))
		add(text, size, "%.1f GiB", (double)kib / (1 << 20));
	if (!*sysroot && !uname(&kernel))
		add(text, size, "%s %s %s", kernel.sysname, kernel.release, kernel.machine);
}
