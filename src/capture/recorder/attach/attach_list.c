// SPDX-License-Identifier: Apache-2.0
/*
 * Goes through all processes and reads each mapped file once, however many processes share it. The version of a
 * runtime is read once per file, in a child (file_version.h). Which files hold a runtime is modules.c's knowledge.
 */
#include "capture/recorder/attach/attach_list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "capture/inject/inject_in.h"
#include "capture/probe/uprobes.h"
#include "capture/proc/file_version.h"
#include "capture/proc/other_modules.h"
#include "capture/proc/package_version.h"
#include "capture/proc/proc.h"
#include "capture/proc/proc_list.h"
#include "capture/recorder/attach/attach_in.h"

/* One file, whatever the processes call it. */
struct known_file {
	dev_t device;
	ino_t inode;
	struct file_version found;
};

struct scan {
	struct modules_seen seen;
	struct array rows;  /* struct attach_row */
	struct array files; /* struct known_file */
	struct attach_row row;
	const char *linked; /* the runtime that is not recorded and was linked into one of its files; NULL: none */
	pid_t pid;
};

static struct file_version version_of(struct scan *scan, const char *path, int fd)
{
	struct known_file *known = scan->files.data;
	struct file_version found = { 0 };
	struct err ignored;
	struct stat stat_;
	char root[32];

	if (fstat(fd, &stat_))
		return found;
	for (size_t i = 0; i < scan->files.n; i++)
		if (known[i].device == stat_.st_dev && known[i].inode == stat_.st_ino)
			return known[i].found;
	if (!file_version(&found, fd, path, &ignored) && !*found.version) {
		snprintf(root, sizeof root, "/proc/%d/root", (int)scan->pid);
		package_version(root, path, found.version, sizeof found.version);
	}
	known = array_add(&scan->files, sizeof *known);
	if (known)
		*known = (struct known_file){ stat_.st_dev, stat_.st_ino, found };
	return found;
}

/* Whether it is the executable. */
static void note_own(struct scan *scan, int fd)
{
	struct stat file, program;
	char path[32];

	snprintf(path, sizeof path, "/proc/%d/exe", (int)scan->pid);
	if (fstat(fd, &file) || stat(path, &program) || file.st_dev != program.st_dev || file.st_ino != program.st_ino)
		return;
	scan->row.device = file.st_dev;
	scan->row.inode = file.st_ino;
}

static bool add_copy(void *ctx, const struct module *module, int fd)
{
	struct scan *scan = ctx;
	struct attach_row *row = &scan->row;
	struct file_version found;
	struct attach_copy *copy;

	if (row->n_copies >= ATTACH_RUNTIMES) {
		row->n_copies++;
		return true;
	}
	found = version_of(scan, module->path, fd);
	if (found.other) {
		scan->linked = found.other;
		return true;
	}
	row->n_copies++;
	copy = &row->copy[row->n_copies - 1];
	copy->runtime = found.runtime;
	memcpy(copy->version, found.version, sizeof copy->version);
	snprintf(copy->path, sizeof copy->path, "%s", module->path);
	copy->is_deleted = module->is_deleted;
	note_own(scan, fd);
	return true;
}

/* The innermost of the numbers on the line NSpid; 0: it has one number only. */
static pid_t inner_pid(const char *status, size_t len)
{
	const char *line = memmem(status, len, "\nNSpid:", 7), *end, *last;

	if (!line)
		return 0;
	line += 7;
	end = memchr(line, '\n', len - (size_t)(line - status));
	if (!end)
		return 0;
	last = memrchr(line, '\t', (size_t)(end - line));
	return last && last > line ? (pid_t)strtol(last + 1, NULL, 10) : 0;
}

/* False: it has ended. */
static bool read_facts(struct attach_row *row)
{
	char text[8192];
	ssize_t got = proc_read("", row->match.pid, "status", text, sizeof text - 1);
	uint64_t user = 0;

	if (got <= 0)
		return false;
	text[got] = 0;
	proc_field(text, (size_t)got, "Threads", &row->n_threads);
	proc_field(text, (size_t)got, "Uid", &user);
	row->user = (unsigned)user;
	row->inner_pid = inner_pid(text, (size_t)got);
	return true;
}

static bool has_probe_sites(const struct attach_row *row)
{
	for (size_t i = 0; i < row->n_copies && i < ATTACH_RUNTIMES; i++)
		if (!row->copy[i].runtime || row->copy[i].runtime->find_sites)
			return true;
	return false;
}

static bool has_inject_family(const struct attach_row *row)
{
	for (size_t i = 0; i < row->n_copies && i < ATTACH_RUNTIMES; i++)
		if (row->copy[i].runtime &&
		    (row->copy[i].runtime->inject_family >= 0 || row->copy[i].runtime->inject_import))
			return true;
	return false;
}

/* Text that fits a column. */
static void find_obstacle(const struct attach_list *list, struct attach_row *row)
{
	const struct inject inject = { .pid = row->match.pid };
	struct err why = { 0 };

	row->can_probe = !*list->no_probes && has_probe_sites(row);
	row->can_inject = has_inject_family(row) && !inject_target_check(&inject, false, &why);
	if (row->can_probe || row->can_inject)
		return;
	if (!has_probe_sites(row))
		snprintf(row->obstacle, sizeof row->obstacle, "this runtime is unsupported");
	else if (row->user != geteuid())
		snprintf(row->obstacle, sizeof row->obstacle, "another user's");
	else
		snprintf(row->obstacle, sizeof row->obstacle, "no probes%s", why.code ? ", seccomp filter" : "");
}

static void add_unread(struct attach_list *list, const struct attach_match *match, const struct err *why)
{
	struct attach_unread *unread = &list->unread[list->n_unreadable];

	if (list->n_unreadable++ >= ATTACH_UNREAD)
		return;
	*unread = (struct attach_unread){ .pid = match->pid, .why = *why };
	snprintf(unread->name, sizeof unread->name, "%s", match->name);
}

/* Runtimes that are not recorded. linked: one that no file is named after; NULL: none. False: there are none. */
static bool find_others(pid_t pid, const char *linked, char *text, size_t size)
{
	size_t used;

	other_modules_of(pid, text, size);
	used = strlen(text);
	if (linked && !strstr(text, linked) && used + strlen(linked) + 3 < size)
		snprintf(text + used, size - used, "%s%s", used ? ", " : "", linked);
	return *text;
}

static void add_other(struct attach_list *list, pid_t pid, const char *linked)
{
	struct attach_other found = { .pid = pid };
	struct attach_match match;
	struct err ignored;

	if (!find_others(pid, linked, found.runtimes, sizeof found.runtimes) || attach_find_pid(pid, &match, &ignored))
		return;
	snprintf(found.name, sizeof found.name, "%s", match.name);
	if (list->n_others < ATTACH_OTHERS)
		list->other[list->n_others] = found;
	list->n_others++;
}

static int look_at(struct scan *scan, struct attach_list *list, const struct proc_row *process)
{
	struct attach_row *row;
	enum attach_loaded loaded;
	struct err why, ignored;

	scan->row = (struct attach_row){ .parent = process->parent };
	scan->linked = NULL;
	scan->pid = process->pid;
	loaded = attach_loaded_each(&scan->seen, process->pid, add_copy, scan, &why);
	if (loaded == ATTACH_NO_RUNTIME || (loaded == ATTACH_RUNTIME && !scan->row.n_copies)) {
		add_other(list, process->pid, scan->linked);
		return 0;
	}
	/* also refuses what has no files of its own: threads of the kernel, and processes that have ended */
	if (attach_find_pid(process->pid, &scan->row.match, &ignored) || !read_facts(&scan->row))
		return 0;
	if (loaded == ATTACH_UNREADABLE) {
		add_unread(list, &scan->row.match, &why);
		return 0;
	}
	find_others(process->pid, scan->linked, scan->row.others, sizeof scan->row.others);
	find_obstacle(list, &scan->row);
	row = array_add(&scan->rows, sizeof *row);
	if (!row)
		return -ENOMEM;
	*row = scan->row;
	return 0;
}

static int by_age(const void *a, const void *b)
{
	const struct attach_match *x = &((const struct attach_row *)a)->match,
				  *y = &((const struct attach_row *)b)->match;

	if (x->start_ticks != y->start_ticks)
		return x->start_ticks < y->start_ticks ? -1 : 1;
	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

/* The parent that is of the same program; NULL: none is. */
static struct attach_row *above(const struct attach_list *list, const struct attach_row *row)
{
	for (size_t i = 0; row->inode && i < list->n; i++) {
		struct attach_row *other = &list->row[i];
		if (other->match.pid == row->parent && other->inode == row->inode && other->device == row->device)
			return other;
	}
	return NULL;
}

static void find_leaders(struct attach_list *list)
{
	for (size_t i = 0; i < list->n; i++) {
		struct attach_row *leader = NULL, *next = &list->row[i];
		/* numbers are reused: a chain may seem to be a ring */
		for (size_t n = 0; next && n < list->n; n++, next = above(list, next))
			leader = next;
		if (!leader || next || leader == &list->row[i])
			continue;
		list->row[i].leader = leader->match.pid;
		leader->n_followers++;
	}
}

static void take_rows(struct scan *scan, struct attach_list *list)
{
	size_t size = scan->rows.n * sizeof *list->row;

	list->row = malloc(size + 1);
	if (!list->row)
		return;
	if (size)
		memcpy(list->row, scan->rows.data, size);
	list->n = scan->rows.n;
	qsort(list->row, list->n, sizeof *list->row, by_age);
	find_leaders(list);
}

int attach_list_find(struct attach_list *list, struct err *err)
{
	struct scan scan = { 0 };
	struct err no_probes = { 0 };
	struct proc_row *process;
	size_t n_processes;
	int code = proc_list("", &process, &n_processes);

	*list = (struct attach_list){ .hides_others = attach_find_is_hidden(1) };
	if (code)
		return err_set(err, -code, "cannot list the processes in /proc: %s", strerror(-code));
	if (uprobes_check(&no_probes))
		memcpy(list->no_probes, no_probes.msg, sizeof list->no_probes);
	for (size_t i = 0; i < n_processes && !code; i++)
		if (process[i].pid != getpid())
			code = look_at(&scan, list, &process[i]);
	if (!code)
		take_rows(&scan, list);
	free(process);
	modules_seen_done(&scan.seen);
	array_done(&scan.rows, sizeof(struct attach_row));
	array_done(&scan.files, sizeof(struct known_file));
	return code || !list->row ? err_no_memory(err, "cannot list the processes") : 0;
}

void attach_list_done(struct attach_list *list)
{
	free(list->row);
	*list = (struct attach_list){ 0 };
}
