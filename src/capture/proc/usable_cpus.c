// SPDX-License-Identifier: Apache-2.0
/* Reads /proc/stat, /proc/PID/status and the cgroup of the process, all below the sysroot. */
#include "capture/proc/usable_cpus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/units.h"
#include "capture/proc/cgroup_cpu.h"
#include "capture/proc/machine.h"
#include "capture/proc/proc.h"

/* How many CPUs "0-3,8" names; 0: it names none. */
static unsigned count_list(const char *text)
{
	unsigned n = 0;

	while (*text >= '0' && *text <= '9') {
		char *end;
		unsigned long first = strtoul(text, &end, 10), last = first;

		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		if (last < first || last >= 1 << 20)
			return 0;
		n += (unsigned)(last - first + 1);
		text = end + (*end == ',');
	}
	return n;
}

/* CPUs that are not online may be among those. */
static unsigned allowed(const char *sysroot, pid_t pid, unsigned n_all)
{
	static const char key[] = "\nCpus_allowed_list:";
	char text[8192];
	ssize_t got = proc_read(sysroot, pid, "status", text, sizeof text - 1);
	const char *at;
	unsigned n;

	text[got > 0 ? got : 0] = 0;
	at = strstr(text, key);
	at = at ? at + sizeof key - 1 : "";
	n = count_list(at + strspn(at, " \t"));
	return n && n < n_all ? n : n_all;
}

void usable_cpus_find(struct usable_cpus *cpus, const char *sysroot, pid_t pid)
{
	unsigned n_all = machine_cpus(sysroot), n_allowed = allowed(sysroot, pid, n_all);
	double quota = cgroup_cpu_least(sysroot, pid);

	*cpus = (struct usable_cpus){ n_all, n_allowed, n_allowed, quota > 0 && quota < n_allowed };
	if (cpus->is_by_quota)
		cpus->n = quota;
}

bool usable_cpus_are_limited(const struct usable_cpus *cpus)
{
	return cpus->n < cpus->n_all;
}

void usable_cpus_say(const struct usable_cpus *cpus, char *text, size_t size)
{
	const char *unit = cpus->n_all == 1 ? "CPU" : "CPUs";

	if (!cpus->n_all)
		snprintf(text, size, "%s", "");
	else if (usable_cpus_are_limited(cpus))
		snprintf(text, size, "%s of %u %s, by %s", units_decimal(cpus->n).s, cpus->n_all, unit,
			 cpus->is_by_quota ? "the quota of its cgroup" : "its affinity");
	else
		snprintf(text, size, "%u %s", cpus->n_all, unit);
}
