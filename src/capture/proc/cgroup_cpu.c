// SPDX-License-Identifier: Apache-2.0
#include "capture/proc/cgroup_cpu.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/proc/proc.h"

/* Where the folders of cgroups that account for CPU time are mounted, and how /proc/PID/cgroup names them. */
static const struct place {
	const char *folder, *line; /* line: what stands between the number and the path */
} places[] = {
	{ "/sys/fs/cgroup", "::" },
	{ "/sys/fs/cgroup/unified", "::" },
	{ "/sys/fs/cgroup/cpu,cpuacct", ":cpu,cpuacct:" },
	{ "/sys/fs/cgroup/cpu,cpuacct", ":cpuacct,cpu:" },
	{ "/sys/fs/cgroup/cpuacct,cpu", ":cpuacct,cpu:" },
	{ "/sys/fs/cgroup/cpu", ":cpu:" },
	{ "/sys/fs/cgroup/cpu", ":cpu,cpuacct:" },
};

enum { N_PLACES = sizeof places / sizeof *places };

/* The path behind this line of /proc/PID/cgroup: "4:memory:/a/b". */
static bool find_path(const char *text, const char *line, char *path, size_t size)
{
	size_t len = strlen(line), n;

	for (const char *at = text; at && *at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
		const char *colon = at + strspn(at, "0123456789");

		if (strncmp(colon, line, len) != 0)
			continue;
		n = strcspn(colon + len, "\n");
		if (!n || n >= size)
			return false;
		memcpy(path, colon + len, n);
		path[n] = 0;
		/* it lies outside of what is mounted here */
		return !strstr(path, "/..");
	}
	return false;
}

static int64_t number_after(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? (int64_t)strtoull(at + strlen(key), NULL, 10) : -1;
}

static bool parse_use(const char *text, struct cgroup_cpu_use *use)
{
	int64_t us = number_after(text, "throttled_usec "), ns = number_after(text, "throttled_time ");
	int64_t n_periods = number_after(text, "nr_periods "), n_throttled = number_after(text, "nr_throttled ");

	if (us < 0 && ns < 0)
		return false;
	*use = (struct cgroup_cpu_use){ (uint64_t)(us >= 0 ? us * 1000 : ns), (uint64_t)(n_periods > 0 ? n_periods : 0),
					(uint64_t)(n_throttled > 0 ? n_throttled : 0) };
	return true;
}

static bool read_use(int fd, struct cgroup_cpu_use *use)
{
	char text[1024];
	ssize_t got = pread(fd, text, sizeof text - 1, 0);

	text[got > 0 ? got : 0] = 0;
	return got > 0 && parse_use(text, use);
}

static void close_levels(struct cgroup_cpu *cgroup)
{
	for (int i = 0; i < cgroup->n; i++)
		close(cgroup->level[i].stat - 1);
	cgroup->n = 0;
}

static int open_file(const struct cgroup_cpu *cgroup, const char *sysroot, size_t len, const char *name)
{
	char whole[PATH_MAX];
	int n = snprintf(whole, sizeof whole, "%s%s%.*s/%s", sysroot, cgroup->folder, (int)len, cgroup->path, name);

	return n < (int)sizeof whole ? open(whole, O_RDONLY | O_CLOEXEC) : -1;
}

/* A part of the path that is not mounted here, as in a container, is passed over. */
static void open_levels(struct cgroup_cpu *cgroup, const char *sysroot)
{
	size_t len = strcmp(cgroup->path, "/") ? strlen(cgroup->path) : 0;

	for (; cgroup->n < CGROUP_CPU_LEVELS;
	     len = len > 1 ? (size_t)((char *)memrchr(cgroup->path, '/', len - 1) - cgroup->path) : 0) {
		struct cgroup_cpu_use use;
		int fd = open_file(cgroup, sysroot, len, "cpu.stat");

		if (fd >= 0 && read_use(fd, &use))
			cgroup->level[cgroup->n++] = (struct cgroup_cpu_level){ fd + 1, len };
		else if (fd >= 0)
			close(fd);
		if (!len)
			return;
	}
}

static bool read_text(int fd, char *text, size_t size)
{
	ssize_t got = fd >= 0 ? read(fd, text, size - 1) : -1;

	if (fd >= 0)
		close(fd);
	text[got > 0 ? got : 0] = 0;
	return got > 0;
}

/* The place that has quotas, and the process's path in it; N_PLACES: none. */
static int find_place(const char *sysroot, const char *text, char *path, size_t size)
{
	for (int i = 0; i < N_PLACES; i++) {
		char file[PATH_MAX], levels[256];

		if (!find_path(text, places[i].line, path, size))
			continue;
		if (strcmp(places[i].line, "::") != 0) {
			snprintf(file, sizeof file, "%s%s/cpu.stat", sysroot, places[i].folder);
			if (!access(file, F_OK))
				return i;
			continue;
		}
		snprintf(file, sizeof file, "%s%s/cgroup.controllers", sysroot, places[i].folder);
		/* "cpuset cpu io memory" */
		if (read_text(open(file, O_RDONLY | O_CLOEXEC), levels, sizeof levels) &&
		    (!strncmp(levels, "cpu ", 4) || strstr(levels, " cpu ") || strstr(levels, " cpu\n")))
			return i;
	}
	return N_PLACES;
}

/*
 * Is this no longer where the process had its CPU time? In version 1 all that exit are in the root; in version 2 the
 * cgroup may be gone before the process is.
 */
static bool is_left(const char *sysroot, pid_t pid, const char *path)
{
	static const char gone[] = " (deleted)";
	struct proc_stat stat = { .is_ending = false };
	size_t len = strlen(path);
	char text[1024];
	ssize_t got;

	if (len >= sizeof gone && !strcmp(path + len - (sizeof gone - 1), gone))
		return true;
	if (strcmp(path, "/") != 0)
		return false;
	got = proc_read(sysroot, pid, "stat", text, sizeof text);
	return got > 0 && proc_stat_parse(text, (size_t)got, &stat) && stat.is_ending;
}

bool cgroup_cpu_find(struct cgroup_cpu *cgroup, const char *sysroot, pid_t pid)
{
	char text[8192], path[CGROUP_CPU_PATH];
	ssize_t got = proc_read(sysroot, pid, "cgroup", text, sizeof text - 1);
	bool is_other;
	int place;

	if (got <= 0)
		return false;
	text[got] = 0;
	place = find_place(sysroot, text, path, sizeof path);
	is_other = place < N_PLACES && strcmp(path, cgroup->path) != 0;
	/* a captured tree replaces files by name */
	if (place == N_PLACES || (!is_other && !*sysroot) || (is_other && is_left(sysroot, pid, path)))
		return false;
	close_levels(cgroup);
	memcpy(cgroup->path, path, sizeof path);
	cgroup->folder = places[place].folder;
	open_levels(cgroup, sysroot);
	return is_other;
}

void cgroup_cpu_close(struct cgroup_cpu *cgroup)
{
	close_levels(cgroup);
	*cgroup->path = 0;
}

bool cgroup_cpu_read(const struct cgroup_cpu *cgroup, int level, struct cgroup_cpu_use *use)
{
	return read_use(cgroup->level[level].stat - 1, use);
}

/* "50000 100000", "max 100000" */
static double quota_of_one(const char *text)
{
	char *end;
	double quota = strtod(text, &end), period = strtod(end, NULL);

	return *text >= '0' && *text <= '9' && quota > 0 && period > 0 ? quota / period : 0;
}

double cgroup_cpu_quota(const struct cgroup_cpu *cgroup, const char *sysroot, int level)
{
	size_t len = cgroup->level[level].len;
	char text[64], period[64];
	double quota, per;

	if (read_text(open_file(cgroup, sysroot, len, "cpu.max"), text, sizeof text))
		return quota_of_one(text);
	if (!read_text(open_file(cgroup, sysroot, len, "cpu.cfs_quota_us"), text, sizeof text) ||
	    !read_text(open_file(cgroup, sysroot, len, "cpu.cfs_period_us"), period, sizeof period))
		return 0;
	quota = strtod(text, NULL);
	per = strtod(period, NULL);
	return quota > 0 && per > 0 ? quota / per : 0;
}

double cgroup_cpu_least(const char *sysroot, pid_t pid)
{
	struct cgroup_cpu cgroup = { "" };
	double least = 0;

	cgroup_cpu_find(&cgroup, sysroot, pid);
	for (int i = 0; i < cgroup.n; i++) {
		double quota = cgroup_cpu_quota(&cgroup, sysroot, i);

		if (quota > 0 && !(least > 0 && least <= quota))
			least = quota;
	}
	cgroup_cpu_close(&cgroup);
	return least;
}
