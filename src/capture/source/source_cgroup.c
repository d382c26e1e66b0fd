// SPDX-License-Identifier: Apache-2.0
/*
 * How long the cgroup of each process was out of CPU quota: "throttled", percent of the time, summed over the CPUs that
 * had something to run for it. The quota may be that of a cgroup further up: the largest of the path counts. Both
 * versions of cgroups. No counter where that never happens.
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

struct cgroup_item {
	struct followed followed;
	struct held throttled;
	int file[MAX_LEVELS]; /* cpu.stat of its cgroup and of those above; descriptor + 1 */
	int n_files;
	uint64_t path_ns; /* when its path is read again */
	char path[256];	  /* as read last */
	bool has_base;
	uint64_t base_ns, base[MAX_LEVELS];
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

static void close_files(struct cgroup_item *item)
{
	for (int i = 0; i < item->n_files; i++)
		close(item->file[i] - 1);
	item->n_files = 0;
}

/* The files of one place, from the process's own cgroup up. */
static void open_files(struct cgroup_item *item, const char *sysroot, const char *folder, const char *path)
{
	char whole[PATH_MAX], text[1024];
	size_t len = strlen(path);

	for (; item->n_files < MAX_LEVELS; len = len > 1 ? (size_t)((char *)memrchr(path, '/', len - 1) - path) : 0) {
		int fd;

		if (snprintf(whole, sizeof whole, "%s%s%.*s/cpu.stat", sysroot, folder, (int)len, path) >=
		    (int)sizeof whole)
			return;
		fd = open(whole, O_RDONLY | O_CLOEXEC);
		if (fd >= 0 && read_at_start(fd, text, sizeof text) > 0 && throttled_ns(text) >= 0)
			item->file[item->n_files++] = fd + 1;
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
	snprintf(item->path, sizeof item->path, "%s", path);
	open_files(item, sample->target->sysroot, places[place].folder, strcmp(path, "/") ? path : "");
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

/* By how much the levels have grown: the one that grew most. */
static uint64_t growth(struct cgroup_item *item)
{
	uint64_t most = 0;
	char text[1024];

	for (int i = 0; i < item->n_files; i++) {
		int64_t now = read_at_start(item->file[i] - 1, text, sizeof text) > 0 ? throttled_ns(text) : -1;
		uint64_t more = now > 0 && (uint64_t)now > item->base[i] ? (uint64_t)now - item->base[i] : 0;

		item->base[i] += more;
		most = more > most ? more : most;
	}
	return most;
}

static int sample_process(void *data, const struct sample *sample, void *data_item)
{
	struct cgroup_item *item = data_item;
	uint64_t time_ns = sample_clock_ns(sample->target, sample->now_ns), span_ns;

	if (sample->now_ns >= item->path_ns)
		find_files(sample, item);
	if (!item->n_files)
		return 0;
	if (!item->has_base) {
		memset(item->base, 0, sizeof item->base);
		growth(item);
		item->has_base = true;
		item->base_ns = time_ns;
	}
	span_ns = time_ns - item->base_ns;
	if (span_ns < SPAN_NS)
		return 0;
	item->base_ns = time_ns;
	return held_put_any(&item->throttled,
			    &(struct counter_value){ "throttled", "%", sample->process->track, time_ns,
						     (double)growth(item) / (double)span_ns * 100 },
			    sample->target->is_ending, sample->out, sample->err);
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
