// SPDX-License-Identifier: Apache-2.0
/* Goes through the processes of the machine. Who fits is attach_fit.c's knowledge, what is loaded attach_loaded.c's. */
#include "capture/recorder/attach/attach_find.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "capture/proc/proc.h"
#include "capture/proc/proc_list.h"
#include "capture/proc/program.h"
#include "capture/recorder/attach/attach_in.h"

/* All processes, those that fit, and which of them are below one that fits. */
struct search {
	struct proc_row *row;
	bool *fits;
	size_t n;
	struct modules_seen seen;
};

static int read_stat(pid_t pid, struct proc_stat *stat)
{
	char text[1024];
	ssize_t got = proc_read("", pid, "stat", text, sizeof text);

	if (got < 0)
		return (int)got;
	return proc_stat_parse(text, (size_t)got, stat) ? 0 : -EPROTO;
}

static void describe(struct attach_match *match, pid_t pid, const struct proc_stat *stat)
{
	uint64_t start_ns = proc_ticks_ns(stat->start_ticks), now_ns;
	struct timespec boot;

	clock_gettime(CLOCK_BOOTTIME, &boot);
	now_ns = (uint64_t)boot.tv_sec * 1000000000u + (uint64_t)boot.tv_nsec;
	*match = (struct attach_match){ .pid = pid, .start_ticks = stat->start_ticks };
	match->age_s = now_ns > start_ns ? (now_ns - start_ns) / 1000000000u : 0;
	program_name("", pid, stat->name, match->name, sizeof match->name);
	program_command("", pid, match->command, sizeof match->command);
}

/* The process whose thread this is; 0: it is a process itself, or gone. */
static pid_t thread_of(pid_t tid)
{
	char text[8192];
	uint64_t group;
	ssize_t got = proc_read("", tid, "status", text, sizeof text);

	return got > 0 && proc_field(text, (size_t)got, "Tgid", &group) && group != (uint64_t)tid ? (pid_t)group : 0;
}

bool attach_find_is_hidden(pid_t pid)
{
	struct proc_stat stat;
	int code = read_stat(pid, &stat);

	return (code == -ESRCH || code == -ENOENT) && (!kill(pid, 0) || errno == EPERM);
}

bool attach_find_is_stopped(pid_t pid)
{
	struct proc_stat stat;

	return !read_stat(pid, &stat) && (stat.state == 'T' || stat.state == 't');
}

int attach_find_pid(pid_t pid, struct attach_match *match, struct err *err)
{
	struct proc_stat stat;
	int code = read_stat(pid, &stat);
	pid_t process = code ? 0 : thread_of(pid);

	if (code && attach_find_is_hidden(pid))
		return err_set(
		    err, EACCES,
		    "cannot attach to process %d: it belongs to another user, and /proc hides it (hidepid); run it "
		    "with sudo, or with CAP_SYS_PTRACE",
		    (int)pid);
	if (code == -ESRCH || code == -ENOENT)
		return err_set(err, ESRCH, "cannot attach to process %d: there is no such process", (int)pid);
	if (code)
		return err_set(err, -code, "cannot read /proc/%d/stat: %s", (int)pid, strerror(-code));
	if (process)
		return err_set(err, ESRCH, "cannot attach to %d: it is a thread; attach to its process %d", (int)pid,
			       (int)process);
	if (proc_is_zombie(&stat))
		return err_set(err, ESRCH, "cannot attach to process %d: it has ended (a zombie)", (int)pid);
	if (stat.is_kernel)
		return err_set(err, ENOTSUP, "cannot attach to process %d: %s is a kernel thread", (int)pid, stat.name);
	if (pid == getpid())
		return err_set(err, EINVAL, "cannot attach to process %d: that is inftrace itself", (int)pid);
	describe(match, pid, &stat);
	return 0;
}

static int by_pid(const void *a, const void *b)
{
	pid_t x = ((const struct proc_row *)a)->pid, y = ((const struct proc_row *)b)->pid;

	return x < y ? -1 : x > y;
}

static int search_init(struct search *search)
{
	int code = proc_list("", &search->row, &search->n);

	if (code) {
		search->n = 0;
		return code;
	}
	qsort(search->row, search->n, sizeof *search->row, by_pid);
	search->fits = calloc(search->n + 1, sizeof *search->fits);
	return search->fits ? 0 : -ENOMEM;
}

static void search_done(struct search *search)
{
	modules_seen_done(&search->seen);
	free(search->fits);
	free(search->row);
}

static size_t row_of(const struct search *search, pid_t pid)
{
	struct proc_row wanted = { .pid = pid };
	const struct proc_row *row = search->n ? bsearch(&wanted, search->row, search->n, sizeof wanted, by_pid) : NULL;

	return row ? (size_t)(row - search->row) : search->n;
}

/* Parents that change while the list is read could make a ring: no more steps than there are processes. */
static bool is_below_a_match(const struct search *search, size_t row)
{
	for (size_t step = 0; step < search->n; step++) {
		row = row_of(search, search->row[row].parent);
		if (row == search->n)
			return false;
		if (search->fits[row])
			return true;
	}
	return false;
}

static void leave_out_ourselves(struct search *search)
{
	size_t row = row_of(search, getpid());

	for (size_t step = 0; step < search->n && row < search->n; step++) {
		search->fits[row] = false;
		row = row_of(search, search->row[row].parent);
	}
}

ssize_t attach_find_family(pid_t pid, pid_t **pids)
{
	struct search search = { 0 };
	int code = search_init(&search);
	size_t n = 0, own = row_of(&search, pid);

	*pids = code ? NULL : malloc((search.n + 1) * sizeof **pids);
	if (*pids) {
		(*pids)[n++] = pid;
		if (own < search.n)
			search.fits[own] = true;
		for (size_t i = 0; i < search.n; i++)
			if (i != own && is_below_a_match(&search, i))
				(*pids)[n++] = search.row[i].pid;
	}
	search_done(&search);
	return *pids ? (ssize_t)n : code ? code : -ENOMEM;
}

static void look_inside(struct search *search, struct attach_match *match)
{
	pid_t *pids;
	ssize_t n = attach_find_family(match->pid, &pids);

	for (ssize_t i = 0; i < n && !match->has_runtime; i++) {
		enum attach_loaded loaded = attach_loaded(&search->seen, pids[i]);
		match->has_runtime = loaded == ATTACH_RUNTIME;
		match->is_readable |= loaded != ATTACH_UNREADABLE;
	}
	free(pids);
}

static int by_use(const void *a, const void *b)
{
	const struct attach_match *x = a, *y = b;

	if (x->has_runtime != y->has_runtime)
		return x->has_runtime ? -1 : 1;
	if (x->start_ticks != y->start_ticks)
		return x->start_ticks < y->start_ticks ? -1 : 1;
	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

static void take(struct search *search, struct attach_matches *matches)
{
	for (size_t i = 0; i < search->n; i++) {
		struct attach_match *match = &matches->match[matches->n];
		struct err ignored;
		if (!search->fits[i] || is_below_a_match(search, i) ||
		    attach_find_pid(search->row[i].pid, match, &ignored))
			continue;
		look_inside(search, match);
		matches->n++;
	}
	qsort(matches->match, matches->n, sizeof *matches->match, by_use);
}

int attach_find(const struct attach_wish *wish, struct attach_matches *matches, struct err *err)
{
	struct search search = { 0 };
	int code = search_init(&search);

	*matches = (struct attach_matches){ 0 };
	if (!code) {
		matches->match = calloc(search.n + 1, sizeof *matches->match);
		code = matches->match ? 0 : -ENOMEM;
	}
	if (!code) {
		for (size_t i = 0; i < search.n; i++)
			search.fits[i] = attach_fit(wish, search.row[i].pid);
		leave_out_ourselves(&search);
		take(&search, matches);
	}
	search_done(&search);
	return code ? err_set(err, -code, "cannot list the processes in /proc: %s", strerror(-code)) : 0;
}

void attach_matches_done(struct attach_matches *matches)
{
	free(matches->match);
	*matches = (struct attach_matches){ 0 };
}
