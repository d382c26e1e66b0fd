// SPDX-License-Identifier: Apache-2.0
/*
 * A cgroup counts the processes in it that were killed, whoever had no memory. The kernel's log has the cgroup whose
 * limit was reached, or that it was the machine. Where the log cannot be read, the cgroup counts that, too: "oom" of
 * memory.events, which those above it count as well, or failcnt in version 1. So the first one up the path that counts
 * more is the cause. Version 1 of newer kernels counts no failures of a limit on memory and swap together: then it is
 * the first one whose peak was at such a limit. If there is none, it was the machine.
 *
 * Whoever started the program may remove its cgroup before its counts are read. Then the log tells, and in version 2
 * the cgroup above, whose counts include those of what was below it.
 */
#include "capture/source/memory_limit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/decode/recorded.h"
#include "capture/source/follow.h"

enum { MAX_GROUPS = 64, MAX_PATH = 512, CHARGED = 64 << 12 };

#define EARLY_NS UINT64_C(2000000000)

/* No limit is written as the largest number of pages, or "max". */
#define NO_LIMIT (INT64_C(1) << 60)

struct limited {
	char path[MAX_PATH]; /* of its folder */
	int up;		     /* index of the one above it; -1: none */
	bool is_old;	     /* version 1 */
	bool is_own;	     /* of a recorded process */
	bool is_gone;
	uint16_t in; /* where its path in the hierarchy begins */
	int64_t n_killed, n_reached;
	int64_t n_local;     /* times that its own limit was reached; -1: not known */
	int64_t limit, peak; /* bytes, when it was last read; -1: not known */
	int64_t n_noted;     /* killed, of which it was said */
	int64_t n_logged;    /* by the kernel's log */
	int logged_cause;    /* of the last of these: index; -1: the machine */
};

static const struct place {
	const char *folder, *line; /* line: what stands between the number and the path in /proc/PID/cgroup */
	bool is_old;
} places[] = {
	{ "/sys/fs/cgroup", "::", false },
	{ "/sys/fs/cgroup/unified", "::", false },
	{ "/sys/fs/cgroup/memory", ":memory:", true },
};

static ssize_t read_file(const char *folder, const char *name, char *text, size_t size)
{
	char path[MAX_PATH + 64];
	ssize_t got = -1;
	int fd;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		got = read(fd, text, size - 1);
		close(fd);
	}
	text[got > 0 ? got : 0] = 0;
	return got;
}

/* The number behind a key at the begin of a line; -1: not there. */
static int64_t number_of(const char *text, const char *key)
{
	size_t len = strlen(key);

	for (; text && *text; text = strchr(text, '\n') ? strchr(text, '\n') + 1 : NULL)
		if (!strncmp(text, key, len) && text[len] == ' ')
			return (int64_t)strtoull(text + len + 1, NULL, 10);
	return -1;
}

static int64_t value_of(const struct limited *group, const char *name, const char *old_name)
{
	char text[64];

	if (read_file(group->path, group->is_old ? old_name : name, text, sizeof text) <= 0 || text[0] < '0' ||
	    text[0] > '9')
		return -1;
	return (int64_t)strtoull(text, NULL, 10);
}

static bool count(const struct limited *group, int64_t *n_killed, int64_t *n_reached)
{
	char text[1024];

	if (read_file(group->path, group->is_old ? "memory.oom_control" : "memory.events", text, sizeof text) <= 0)
		return false;
	*n_killed = number_of(text, "oom_kill");
	*n_reached = group->is_old ? value_of(group, "", "memory.failcnt") : number_of(text, "oom");
	if (group->is_old)
		*n_reached += value_of(group, "", "memory.memsw.failcnt");
	return *n_killed >= 0;
}

/* What was charged together fits no more. */
static bool was_at_swap_limit(const struct limited *group)
{
	int64_t limit = group->is_old ? value_of(group, "", "memory.memsw.limit_in_bytes") : -1;

	return limit > 0 && limit < NO_LIMIT &&
	       value_of(group, "", "memory.memsw.max_usage_in_bytes") >= limit - CHARGED;
}

static void remember(struct limited *group)
{
	char text[1024];

	group->limit = value_of(group, "memory.max", "memory.limit_in_bytes");
	group->peak = value_of(group, "memory.peak", "memory.max_usage_in_bytes");
	group->n_local = group->is_old || read_file(group->path, "memory.events.local", text, sizeof text) <= 0
			     ? -1
			     : number_of(text, "oom");
}

static int find(const struct memory_limit *limit, const char *path)
{
	const struct limited *group = limit->groups.data;

	for (size_t i = 0; i < limit->groups.n; i++)
		if (!strcmp(group[i].path, path))
			return (int)i;
	return -1;
}

/* This cgroup, and those above it. *at: its index, -1: it has no such files, or there are too many. */
static int add(struct memory_limit *limit, char *path, size_t root_len, bool is_old, int *at)
{
	struct limited group = { .up = -1, .is_old = is_old, .in = (uint16_t)root_len }, *row;
	char *slash;
	int rc = 0;

	*at = find(limit, path);
	if (*at >= 0 || limit->groups.n >= MAX_GROUPS)
		return 0;
	snprintf(group.path, sizeof group.path, "%s", path);
	if (!count(&group, &group.n_killed, &group.n_reached))
		return 0;
	remember(&group);
	slash = strrchr(path, '/');
	if (slash && (size_t)(slash - path) >= root_len) {
		*slash = 0;
		rc = add(limit, path, root_len, is_old, &group.up);
		*slash = '/';
	}
	row = rc ? NULL : array_add(&limit->groups, sizeof *row);
	if (!row)
		return -ENOMEM;
	*row = group;
	*at = (int)limit->groups.n - 1;
	return 0;
}

/* What stands behind the place's line of /proc/PID/cgroup, without a slash at its end; NULL: there is no such line. */
static char *path_in(char *text, const char *line)
{
	size_t len = strlen(line);

	for (char *at = text; at && *at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
		char *colon = at + strspn(at, "0123456789"), *end;

		if (strncmp(colon, line, len) != 0)
			continue;
		colon += len;
		end = colon + strcspn(colon, "\n");
		while (end > colon && end[-1] == '/')
			end--;
		return (size_t)(end - colon) < MAX_PATH / 2 ? strndup(colon, (size_t)(end - colon)) : NULL;
	}
	return NULL;
}

static int meet(struct memory_limit *limit, const struct target *target, pid_t pid)
{
	char text[4096], whole[MAX_PATH], *path;
	ssize_t got = proc_read(target->sysroot, pid, "cgroup", text, sizeof text - 1);
	int rc = 0, at = -1;

	if (got <= 0)
		return 0;
	text[got] = 0;
	for (size_t i = 0; !rc && at < 0 && i < sizeof places / sizeof *places; i++) {
		size_t len = (size_t)snprintf(whole, sizeof whole, "%s%s", target->sysroot, places[i].folder);

		path = len < sizeof whole ? path_in(text, places[i].line) : NULL;
		if (!path)
			continue;
		snprintf(whole + len, sizeof whole - len, "%s", path);
		rc = add(limit, whole, len, places[i].is_old, &at);
		free(path);
	}
	if (!rc && at >= 0)
		((struct limited *)limit->groups.data)[at].is_own = true;
	return rc;
}

/* Killed at the limit of `group`; NULL: of the machine. */
static int note(const struct limited *group, const struct target *target, int64_t n, struct sink *out, uint64_t now_ns,
		struct err *err)
{
	int64_t bytes = group ? group->limit : -1, peak = group ? group->peak : -1;
	struct arg args[4] = { arg_int(KEY_COUNT, n) };
	size_t n_args = 1;

	if (!target->tree->n)
		return 0;
	if (group)
		args[n_args++] = arg_text(KEY_PATH, out, group->path + strlen(target->sysroot));
	if (bytes > 0 && bytes < NO_LIMIT)
		args[n_args++] = arg_int(KEY_LIMIT, bytes);
	if (peak > 0)
		args[n_args++] = arg_int(KEY_PEAK, peak);
	return recorded_note(out, EVENT_NOTE_OUT_OF_MEMORY,
			     &(struct event){ .track = target->tree->process[0].track,
					      .time_ns = sample_clock_ns(target, now_ns),
					      .args = args,
					      .n_args = n_args },
			     err);
}

/* What the log says of the cgroups of recorded processes. */
static void read_log(struct memory_limit *limit)
{
	struct limited *group = limit->groups.data;
	struct kill_logged killed;

	while (kill_log_next(&limit->log, &killed))
		for (size_t i = 0; i < limit->groups.n; i++) {
			int cause = (int)i;

			if (!group[i].is_own || strcmp(group[i].path + group[i].in, killed.path) != 0)
				continue;
			while (cause >= 0 && strcmp(group[cause].path + group[cause].in, killed.limited) != 0)
				cause = group[cause].up;
			group[i].n_logged++;
			group[i].logged_cause = cause;
		}
}

/* What the last look has found of each cgroup: what it counts more, and whether it went in between. */
struct look {
	int64_t killed[MAX_GROUPS], reached[MAX_GROUPS], local[MAX_GROUPS];
	bool is_fresh[MAX_GROUPS];
};

static bool was_near_its_limit(const struct limited *group)
{
	return group->limit > 0 && group->peak >= group->limit / 2;
}

/* How many of the cgroups before `end` below this one went in between, and were near their limit if they must be. */
static int64_t count_fresh(const struct memory_limit *limit, const struct look *look, int up, size_t end, bool near)
{
	const struct limited *group = limit->groups.data;
	int64_t n = 0;

	for (size_t i = 0; i < end; i++)
		n += group[i].up == up && look->is_fresh[i] && (!near || was_near_its_limit(&group[i]));
	return n;
}

static int64_t not_noted(const struct limited *group)
{
	return group->n_logged > group->n_noted ? group->n_logged - group->n_noted : 0;
}

/*
 * Processes that were killed in a cgroup that is gone. Without the log: the one above counts more than those that are
 * left in it, and this one was near its own limit, or the one above reached its own. Each is counted once: at the first
 * one that is gone where the limit above was reached; else one at each that was near its limit, if there are as many,
 * for else nothing shows whose they were. *cause: index; -1: the machine.
 */
static int64_t killed_in_gone(const struct memory_limit *limit, size_t at, const struct look *look, int *cause)
{
	const struct limited *group = limit->groups.data, *gone = &group[at];
	int64_t n = not_noted(gone), n_near;

	*cause = gone->logged_cause;
	if (n > 0 || gone->is_old || gone->up < 0)
		return n;
	n = look->killed[gone->up];
	for (size_t i = 0; i < limit->groups.n; i++)
		if (group[i].up == gone->up)
			n -= group[i].is_gone ? not_noted(&group[i]) : look->killed[i];
	*cause = look->local[gone->up] > 0 ? gone->up : (int)at;
	if (*cause == gone->up)
		return count_fresh(limit, look, gone->up, at, false) ? 0 : n;
	if (look->local[gone->up] < 0 || !was_near_its_limit(gone))
		return 0;
	n_near = count_fresh(limit, look, gone->up, limit->groups.n, true);
	return n_near > 1 ? n == n_near : n;
}

static void look_at(struct memory_limit *limit, struct look *look, bool is_due)
{
	struct limited *group = limit->groups.data;

	for (size_t i = 0; i < limit->groups.n; i++) {
		int64_t n_killed, n_reached, n_local = group[i].n_local;

		if (!count(&group[i], &n_killed, &n_reached)) {
			look->is_fresh[i] = !group[i].is_gone;
			group[i].is_gone = true;
			continue;
		}
		group[i].is_gone = false;
		look->killed[i] = n_killed - group[i].n_killed;
		look->reached[i] = n_reached - group[i].n_reached;
		group[i].n_killed = n_killed;
		group[i].n_reached = n_reached;
		if (!is_due && !look->killed[i] && !look->reached[i])
			continue;
		remember(&group[i]);
		look->local[i] = n_local < 0 || group[i].n_local < 0 ? -1 : group[i].n_local - n_local;
	}
}

/* Of processes that were killed in a cgroup that still is: index; -1: the machine. */
static int cause_of(const struct memory_limit *limit, int at, const struct look *look)
{
	const struct limited *group = limit->groups.data;

	if (not_noted(&group[at]) >= look->killed[at])
		return group[at].logged_cause;
	for (int i = at; i >= 0; i = group[i].up)
		if (look->reached[i] > 0)
			return i;
	for (int i = at; i >= 0; i = group[i].up)
		if (was_at_swap_limit(&group[i]))
			return i;
	return -1;
}

static int note_killed(struct memory_limit *limit, const struct target *target, const struct look *look,
		       struct sink *out, uint64_t now_ns, struct err *err)
{
	struct limited *group = limit->groups.data;
	int64_t killed[MAX_GROUPS];
	int rc = 0, cause[MAX_GROUPS];

	/* all before the first is noted: what one is charged with is taken from the others */
	for (size_t i = 0; i < limit->groups.n; i++) {
		cause[i] = (int)i;
		killed[i] =
		    group[i].is_own && look->is_fresh[i] ? killed_in_gone(limit, i, look, &cause[i]) : look->killed[i];
	}
	for (size_t i = 0; !rc && i < limit->groups.n; i++) {
		int by;

		if (!group[i].is_own || killed[i] <= 0)
			continue;
		by = look->is_fresh[i] ? cause[i] : cause_of(limit, (int)i, look);
		group[i].n_noted += killed[i];
		rc = note(by < 0 ? NULL : &group[by], target, killed[i], out, now_ns, err);
	}
	return rc;
}

int memory_limit_drain(struct memory_limit *limit, const struct target *target, struct sink *out, uint64_t now_ns,
		       struct err *err)
{
	bool is_due = now_ns >= limit->due_ns || now_ns <= limit->began_ns + EARLY_NS || target->is_ending;
	bool has_news = limit->n_news != target->tree->n_news, has_killed = false;
	struct look look = { .killed = { 0 } };
	int rc = 0;

	if (!limit->began_ns) {
		kill_log_open(&limit->log, target->sysroot);
		limit->began_ns = now_ns;
		is_due = true;
	}
	/* a launcher may move itself to another cgroup first: a zombie has none any more */
	if (!is_due && !has_news && limit->n_ended == target->tree->n_ended)
		return 0;
	limit->n_news = target->tree->n_news;
	limit->n_ended = target->tree->n_ended;
	if (is_due)
		limit->due_ns = sample_next_ns(sample_interval_ns(target), now_ns);
	for (size_t i = 0; !rc && i < target->tree->n && (is_due || has_news); i++)
		rc = meet(limit, target, target->tree->process[i].pid);
	if (rc)
		return err_set(err, -rc, "cannot follow limits of memory: out of memory");
	look_at(limit, &look, is_due);
	for (size_t i = 0; i < limit->groups.n; i++)
		has_killed |= look.is_fresh[i] || look.killed[i] > 0;
	if (has_killed)
		read_log(limit);
	return note_killed(limit, target, &look, out, now_ns, err);
}

void memory_limit_done(struct memory_limit *limit)
{
	kill_log_close(&limit->log);
	array_done(&limit->groups, sizeof(struct limited));
}
