/* SPDX-License-Identifier: Apache-2.0 */
/* CPUs that a process may use: the least of those that are online, its affinity, and the quotas of its cgroups. */
#ifndef CAPTURE_PROC_USABLE_CPUS_H
#define CAPTURE_PROC_USABLE_CPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct usable_cpus {
	unsigned n_all;	    /* of the machine, online; 0: not known */
	unsigned n_allowed; /* by affinity; n_all where that is not known */
	double n;	    /* the least of all, with the quota; 0: not known */
	bool is_by_quota;   /* it is less than n_allowed */
};

void usable_cpus_find(struct usable_cpus *cpus, const char *sysroot, pid_t pid);
bool usable_cpus_are_limited(const struct usable_cpus *cpus);
/* "2 CPUs"; "1 of 2 CPUs, by its affinity"; "0.5 of 2 CPUs, by the quota of its cgroup"; "" where nothing is known. */
void usable_cpus_say(const struct usable_cpus *cpus, char *text, size_t size);

#endif
