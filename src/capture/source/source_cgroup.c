// SPDX-License-Identifier: Apache-2.0
/*
 * How long the cgroup of each process was out of CPU quota: "throttled", percent of the time, summed over the CPUs that
 * had something to run for it. The quota may be that of a cgroup further up: the largest of the path counts. "cpu
 * quota" is the least of the path, in CPUs. Of the cgroup that was out of quota longest there are, since the recording
 * began, "quota periods", those of them that were "throttled periods", and the "throttled time". Both versions of
 * cgroups. No counter where there is no quota, or it is never used up.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "capture/source/fine.h"
#include "capture/source/held.h"

#define SPAN_NS UINT64_C(8000000)
#define PATH_NS UINT64_C(200000000)

enum { MAX_LEVELS = 8 };

/* Where the folders of cgroups that account for CPU time are mounted, and how /proc/PID/cgroup names them. */
static const struct place {
	const char *folder, *line; /* line: what stands between the number and the path */
} places[] = {
	{ "/sys/fs/cgroup", "::" },
	{ "/sys/fs/cgroup/unified", "::" },
	{ "/sys/fs/cgroup/cpu,cpuacct", ":cpu,cpuacct:" },
	{ "/sys/fs/cgroup/cpu", ":cpu:" },
	{ "/sys/fs/cgroup/cpu", ":cpu,cpuacct:" },
};

enum { N_PLACES = sizeof places / sizeof *places };

/* What a cgroup counts: all since it was made. */
struct usage {
	uint64_t throttled_ns, n_periods, n_throttled;
};

struct level {
	int file; /* cpu.stat; descriptor + 1 */
	struct usage first, last;
};

struct cgroup_item {
	struct followed followed;
	struct held throttled, quota, periods, throttled_periods, throttled_time;
	struct level level[MAX_LEVELS]; /* its cgroup, and those above */
	int n_levels;
	int place;	  /* of places; meaningful with a path */
	uint64_t path_ns; /* when its path is read again */
	char path[256];	  /* as read last */
	bool has_base;
	uint64_t base_ns;
};

struct cgroup_state {
	struct fine fine;
	struct follow follow;
};

/* The path behind this line of /proc/PID/cgroup: "4:memory:/a/b". */
static bool find_path(const char *text, const char *line, char *path, size_t size)
{
	size_t len = strlen(line), n;

	for (const char *at = text; at && *at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
		const char *colon = at + strspn(at, "0123456789");

		if (strncmp(colon, line, len) != 0)
			continue;
		n = strcspn(colon + len, "\n");
		if (!n || n >= size || strstr(colon + len, "/.."))
			return false;
		memcpy(path, colon + len, n);
		path[n] = 0;
		return true;
	}
	return false;
}

static int64_t number_after(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? (int64_t)strtoull(at + strlen(key), NULL, 10) : -1;
}

/* -1: this cgroup has no quota, or does not count. */
static int64_t throttled_ns(const char *text)
{
	int64_t us = number_after(text, "throttled_usec "), ns = number_after(text, "throttled_time ");

	return us >= 0 ? us * 1000 : ns;
}

static ssize_t read_at_start(int fd, char *text, size_t size)
{
	ssize_t got = pread(fd, text, size - 1, 0);

	text[got > 0 ? got : 0] = 0;
	return got;
}

/* false: it has no quota, or does not count. */
static bool read_usage(int fd, struct usage *usage)
{
	char text[1024];
	int64_t ns, n;

	if (read_at_start(fd, text, sizeof text) <= 0)
		return false;
	ns = throttled_ns(text);
	n = number_after(text, "nr_periods ");
	*usage = (struct usage){ .throttled_ns = ns > 0 ? (uint64_t)ns : 0, .n_periods = n > 0 ? (uint64_t)n : 0 };
	n = number_after(text, "nr_throttled ");
	usage->n_throttled = n > 0 ? (uint64_t)n : 0;
	return ns >= 0;
}

static void close_files(struct cgroup_item *item)
{
	for (int i = 0; i < item->n_levels; i++)
		close(item->level[i].file - 1);
	item->n_levels = 0;
}

/* The length of the path of the cgroup above; 0 is the topmost. */
static size_t len_above(const char *path, size_t len)
{
	return len > 1 ? (size_t)((char *)memrchr(path, '/', len - 1) - path) : 0;
}

/* The files of one place, from the process's own cgroup up. */
static void open_files(struct cgroup_item *item, const char *sysroot, const char *folder, const char *path)
{
	char whole[PATH_MAX];
	size_t len = strlen(path);
	struct usage usage;

	for (; item->n_levels < MAX_LEVELS; len = len_above(path, len)) {
		int fd;

		if (snprintf(whole, sizeof whole, "%s%s%.*s/cpu.stat", sysroot, folder, (int)len, path) >=
		    (int)sizeof whole)
			return;
		fd = open(whole, O_RDONLY | O_CLOEXEC);
		if (fd >= 0 && read_usage(fd, &usage))
			item->level[item->n_levels++].file = fd + 1;
		else if (fd >= 0)
			close(fd);
		if (!len)
			return;
	}
}

/* The place that has quotas, and the process's path in it; N_PLACES: none. */
static int find_place(const struct sample *sample, const char *text, char *path, size_t size)
{
	const char *sysroot = sample->target->sysroot;

	for (int i = 0; i < N_PLACES; i++) {
		char file[PATH_MAX], levels[256] = { 0 };
		ssize_t got = -1;
		int fd;

		if (!find_path(text, places[i].line, path, size))
			continue;
		if (strcmp(places[i].line, "::") != 0) {
			snprintf(file, sizeof file, "%s%s/cpu.stat", sysroot, places[i].folder);
			if (!access(file, F_OK))
				return i;
			continue;
		}
		snprintf(file, sizeof file, "%s%s/cgroup.controllers", sysroot, places[i].folder);
		fd = open(file, O_RDONLY | O_CLOEXEC);
		if (fd >= 0)
			got = read(fd, levels, sizeof levels - 1);
		if (fd >= 0)
			close(fd);
		/* "cpuset cpu io memory" */
		if (got > 0 && (!strncmp(levels, "cpu ", 4) || strstr(levels, " cpu ") || strstr(levels, " cpu\n")))
			return i;
	}
	return N_PLACES;
}

static void find_files(const struct sample *sample, struct cgroup_item *item)
{
	char text[4096], path[sizeof item->path];
	ssize_t got = proc_read(sample->target->sysroot, sample->process->pid, "cgroup", text, sizeof text - 1);
	int place;

	item->path_ns = sample->now_ns + PATH_NS;
	if (got <= 0)
		return;
	text[got] = 0;
	place = find_place(sample, text, path, sizeof path);
	/* a captured tree replaces files by name */
	if (place == N_PLACES || (!strcmp(path, item->path) && !*sample->target->sysroot))
		return;
	close_files(item);
	item->has_base &= !strcmp(path, item->path);
	item->place = place;
	snprintf(item->path, sizeof item->path, "%s", path);
	open_files(item, sample->target->sysroot, places[place].folder, strcmp(path, "/") ? path : "");
}

/* A file of a cgroup; "": it cannot be read. */
static void read_file(const char *folder, const char *name, char text[64])
{
	char path[PATH_MAX];
	ssize_t got = -1;
	int fd;

	if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
		path[0] = 0;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		got = read(fd, text, 63);
		close(fd);
	}
	text[got > 0 ? got : 0] = 0;
}

/* In CPUs; 0: none. */
static double quota_of(const char *folder, bool is_second)
{
	char text[64], period[64];
	double quota_us, period_us;

	read_file(folder, is_second ? "cpu.max" : "cpu.cfs_quota_us", text); /* "50000 100000", "max 100000"; "-1" */
	if (!is_second)
		read_file(folder, "cpu.cfs_period_us", period);
	quota_us = strtod(text, NULL);
	period_us = strtod(is_second ? text + strcspn(text, " ") : period, NULL);
	return quota_us > 0 && period_us > 0 ? quota_us / period_us : 0;
}

/* The least of its cgroup and of those above; 0: none. */
static double least_quota(const struct cgroup_item *item, const char *sysroot)
{
	const char *path = strcmp(item->path, "/") ? item->path : "";
	bool is_second = !strcmp(places[item->place].line, "::");
	size_t len = strlen(path);
	double least = 0;

	for (;; len = len_above(path, len)) {
		char folder[PATH_MAX];
		double quota = 0;

		if (snprintf(folder, sizeof folder, "%s%s%.*s", sysroot, places[item->place].folder, (int)len, path) <
		    (int)sizeof folder)
			quota = quota_of(folder, is_second);
		if (quota > 0 && (!least || quota < least))
			least = quota;
		if (!len)
			return least;
	}
}

static int put_quota(const struct sample *sample, struct cgroup_item *item, uint64_t time_ns)
{
	double quota = *item->path ? least_quota(item, sample->target->sysroot) : 0;

	return held_put_any(&item->quota,
			    &(struct counter_value){ "cpu quota", "CPUs", sample->process->track, time_ns, quota },
			    sample->target->is_ending, sample->out, sample->err);
}

static int check(const struct target *target, struct err *err)
{
	char text[4096];
	ssize_t got = target->pid ? proc_read(target->sysroot, target->pid, "cgroup", text, sizeof text) : 0;

	return got < 0 ? err_set(err, (int)-got, "cannot read %s/proc/%d/cgroup: %s", target->sysroot, (int)target->pid,
				 strerror((int)-got))
		       : 0;
}

static int start(void *data, const struct target *target, struct sink *out, struct err *err)
{
	((struct cgroup_state *)data)->fine.target = target;
	return 0;
}

/* By how long the levels were out of quota since the last look: the longest. */
static uint64_t growth(struct cgroup_item *item)
{
	uint64_t most = 0;

	for (int i = 0; i < item->n_levels; i++) {
		struct level *level = &item->level[i];
		uint64_t before = level->last.throttled_ns, more;
		struct usage now;

		if (!read_usage(level->file - 1, &now))
			continue;
		more = now.throttled_ns > before ? now.throttled_ns - before : 0;
		level->last = now;
		most = more > most ? more : most;
	}
	return most;
}

static uint64_t total_ns(const struct level *level)
{
	return level->last.throttled_ns - level->first.throttled_ns;
}

/* Totals of the level that was out of quota longest. */
static int put_totals(const struct sample *sample, struct cgroup_item *item, uint64_t time_ns)
{
	const struct level *most = &item->level[0];
	uint32_t track = sample->process->track;
	bool is_last = sample->target->is_ending;
	int result;

	for (int i = 1; i < item->n_levels; i++)
		most = total_ns(&item->level[i]) > total_ns(most) ? &item->level[i] : most;
	if (most->last.n_throttled == most->first.n_throttled)
		return 0;
	result = held_put_any(&item->throttled_time,
			      &(struct counter_value){ "throttled time", "ns", track, time_ns, (double)total_ns(most) },
			      is_last, sample->out, sample->err);
	if (!result)
		result =
		    held_put_any(&item->throttled_periods,
				 &(struct counter_value){ "throttled periods", "count", track, time_ns,
							  (double)(most->last.n_throttled - most->first.n_throttled) },
				 is_last, sample->out, sample->err);
	if (!result)
		result = held_put_any(&item->periods,
				      &(struct counter_value){ "quota periods", "count", track, time_ns,
							       (double)(most->last.n_periods - most->first.n_periods) },
				      is_last, sample->out, sample->err);
	return result;
}

static int sample_process(void *data, const struct sample *sample, void *data_item)
{
	struct cgroup_item *item = data_item;
	uint64_t time_ns = sample_clock_ns(sample->target, sample->now_ns), span_ns;
	int result = 0;

	if (sample->now_ns >= item->path_ns) {
		find_files(sample, item);
		result = put_quota(sample, item, time_ns);
	}
	if (result || !item->n_levels)
		return result;
	if (!item->has_base) {
		growth(item);
		for (int i = 0; i < item->n_levels; i++)
			item->level[i].first = item->level[i].last;
		item->has_base = true;
		item->base_ns = time_ns;
	}
	span_ns = time_ns - item->base_ns;
	if (span_ns < SPAN_NS)
		return 0;
	item->base_ns = time_ns;
	result = held_put_any(&item->throttled,
			      &(struct counter_value){ "throttled", "%", sample->process->track, time_ns,
						       (double)growth(item) / (double)span_ns * 100 },
			      sample->target->is_ending, sample->out, sample->err);
	return result ? result : put_totals(sample, item, time_ns);
}

static void close_item(void *data_item)
{
	close_files(data_item);
}

static const struct follow_kind cgroup_kind = { sizeof(struct cgroup_item), sample_process, close_item };

static int due_ms(const void *data)
{
	const struct cgroup_state *state = data;

	return sample_due_ms(follow_due_ns(&state->follow, &cgroup_kind, state->fine.target->tree));
}

static int drain(void *data, struct sink *out, uint64_t now_ns, struct err *err)
{
	struct cgroup_state *state = data;
	uint64_t began_ns = clock_ns();
	struct sample sample = { fine_begin(&state->fine), NULL, out, now_ns, err };
	int result = follow_drain(&state->follow, &cgroup_kind, state, &sample);

	fine_end(&state->fine, began_ns);
	return result;
}

static void stop(void *data)
{
	follow_done(&((struct cgroup_state *)data)->follow, &cgroup_kind);
}

const struct source source_cgroup = {
	.name = "cgroup",
	.help = "time that cgroups are out of CPU quota",
	.state_size = sizeof(struct cgroup_state),
	.check = check,
	.start = start,
	.due_ms = due_ms,
	.drain = drain,
	.stop = stop,
};
