/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CPU quotas of the cgroups that a process is in: of its own cgroup and of those above, as far as they are mounted
 * here. Both versions of cgroups.
 */
#ifndef CAPTURE_PROC_CGROUP_CPU_H
#define CAPTURE_PROC_CGROUP_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { CGROUP_CPU_LEVELS = 16, CGROUP_CPU_PATH = 512 };

struct cgroup_cpu_level {
	int stat;   /* descriptor of cpu.stat, + 1 */
	size_t len; /* so much of the path; 0: what is mounted */
};

/* Starts zeroed. Lowest level first; those without counts of throttling are left out. */
struct cgroup_cpu {
	char path[CGROUP_CPU_PATH]; /* as /proc names it; "": not found so far */
	const char *folder;	    /* where that hierarchy is mounted */
	struct cgroup_cpu_level level[CGROUP_CPU_LEVELS];
	int n;
};

/* Since the cgroup was made. */
struct cgroup_cpu_use {
	uint64_t throttled_ns; /* summed over CPUs */
	uint64_t n_periods, n_throttled;
};

/* Finds the levels, again where the process has moved. true: these are others than before. */
bool cgroup_cpu_find(struct cgroup_cpu *cgroup, const char *sysroot, pid_t pid);
void cgroup_cpu_close(struct cgroup_cpu *cgroup);
/* false, and *use is unchanged: it cannot be read. */
bool cgroup_cpu_read(const struct cgroup_cpu *cgroup, int level, struct cgroup_cpu_use *use);
/* CPUs that the level may use, by its quota; 0: it has none, or that is not known. */
double cgroup_cpu_quota(const struct cgroup_cpu *cgroup, const char *sysroot, int level);
/* The least quota of all levels of a process; 0: none. */
double cgroup_cpu_least(const char *sysroot, pid_t pid);

#endif
