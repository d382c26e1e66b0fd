// SPDX-License-Identifier: Apache-2.0
/*
 * Keeps the tree of processes. Answers three questions, each as cheaply as the kernel allows, because they are asked
 * every 10 ms:
 *
 *   who ended?	one poll of all pidfds; /proc/PID/stat for processes without one
 *   is anyone new?	the last pid given out on this machine, in /proc/loadavg
 *   who is new?	the few numbers given out since. If there are many, and once a second: the kernel's
 *		lists of children, thread by thread, or, without them, the parents of all processes
 *
 * A fourth question, which process runs another program, is checked for each process when it is young and when anything
 * has begun on this machine, else five times a second, if there are few; if there are many, when its age has doubled,
 * then once a second. An update that took long is followed by a pause a hundred times as long, up to a second. Where
 * programs are met by events, a second is eight seconds here, and a hundred four hundred.
 */
#include "capture/source/tree.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "capture/proc/proc.h"
#include "capture/proc/proc_list.h"
#include "capture/proc/program.h"

#define MS_NS UINT64_C(1000000)
#define UPDATE_NS (50 * MS_NS)
#define RESTING_NS (100 * MS_NS)
#define SETTLE_NS (20 * MS_NS)
#define WALK_NS (1000 * MS_NS)
#define RESTING_WALK_NS (8 * WALK_NS)
#define LOOK_NS (200 * MS_NS)

enum { FEW = 16, COMMAND = 4096, MOST_NUMBERS = 64, PAUSE = 100, RESTING_PAUSE = 400 };

/* Seen, but too young to be named. */
struct newcomer {
	pid_t pid;
	uint64_t start_ticks, seen_ns;
};

/* It has ended, and its track has not. */
struct past {
	pid_t pid;
	uint32_t track, n_holds;
	uint64_t ended_ns;
};

struct tree_scan {
	struct newcomer *newcomer;
	size_t n_newcomers, capacity;
	struct array past; /* struct past, in the order of their ends */
	uint64_t n_admitted;
	struct proc_file loadavg;
	uint64_t before_pid, last_pid; /* given out at the last two updates */
	uint64_t foreign;	       /* bit i: the number first_foreign + i was seen to belong to somebody else */
	pid_t first_foreign;
	bool has_root;	  /* the root was found: it is not looked for again */
	bool no_children; /* this kernel keeps no lists of children */
	bool is_ours;
	uint64_t walk_ns; /* when to walk whatever the numbers are */
	uint64_t due_ns;
};

/* Shared by the steps of one update. */
struct update {
	struct tree *tree;
	struct tree_scan *scan;
	const struct target *target;
	struct sink *out;
	uint64_t now_ns;
	struct err *err;
	uint64_t last_pid; /* given out on this machine; 0: unknown */
	bool has_news;	   /* some were given out since the last update but one, or it is unknown */
};

static const char failure[] = "cannot follow the processes of the target";

static int update_init(struct update *update, struct tree *tree, const struct target *target, struct sink *out,
		       uint64_t now_ns, struct err *err)
{
	if (!tree->scan) {
		tree->scan = calloc(1, sizeof *tree->scan);
		if (!tree->scan)
			return err_no_memory(err, failure);
		tree->scan->is_ours = proc_is_ours(target->sysroot);
	}
	tree->is_asked = false;
	*update = (struct update){ tree, tree->scan, target, out, now_ns, err, 0, true };
	return 0;
}

/* Whether a process is over. A zombie is, except the root, whose last values are still needed. */
static bool is_over(const struct target *target, pid_t pid, const struct proc_stat *stat)
{
	return proc_is_zombie(stat) && pid != target->pid;
}

/* 0, or -errno; -ESRCH: no such process, or its pid has been reused. */
static int read_stat(const struct target *target, pid_t pid, const uint64_t *start_ticks, struct proc_stat *stat)
{
	char text[1024];
	ssize_t got = proc_read(target->sysroot, pid, "stat", text, sizeof text);

	if (got < 0)
		return (int)got;
	if (!proc_stat_parse(text, (size_t)got, stat))
		return -EPROTO;
	return start_ticks && stat->start_ticks != *start_ticks ? -ESRCH : 0;
}

/* When a process started, on CLOCK_MONOTONIC; the kernel counts from boot, including suspension. */
static uint64_t start_of(const struct update *update, uint64_t start_ticks)
{
	uint64_t start_ns = proc_ticks_ns(start_ticks), boot_ns, age_ns;
	struct timespec boot;

	if (*update->target->sysroot) {
		char text[64] = "";
		ssize_t got = proc_read(update->target->sysroot, 0, "uptime", text, sizeof text - 1);
		double uptime = got > 0 ? strtod(text, NULL) : 0;
		if (!(uptime > 0 && uptime < 1e9))
			return 0;
		boot_ns = (uint64_t)(uptime * 1e9);
	} else {
		clock_gettime(CLOCK_BOOTTIME, &boot);
		boot_ns = (uint64_t)boot.tv_sec * 1000000000u + (uint64_t)boot.tv_nsec;
	}
	if (start_ns == UINT64_MAX)
		return 0;
	age_ns = boot_ns > start_ns ? boot_ns - start_ns : 0;
	return update->now_ns > age_ns ? update->now_ns - age_ns : 0;
}

static struct tree_process *find(const struct tree *tree, pid_t pid)
{
	for (size_t i = 0; i < tree->n; i++) {
		if (tree->process[i].pid == pid)
			return &tree->process[i];
	}
	return NULL;
}

static bool is_known(const struct tree *tree, pid_t pid)
{
	for (size_t i = 0; i < tree->scan->n_newcomers; i++) {
		if (tree->scan->newcomer[i].pid == pid)
			return true;
	}
	return find(tree, pid);
}

/* Who ended */

static bool has_ended(const struct target *target, struct tree_process *process)
{
	struct proc_stat stat;
	int result = read_stat(target, process->pid, &process->start_ticks, &stat);

	if (result)
		return result == -ESRCH;
	process->is_over = proc_is_zombie(&stat);
	return is_over(target, process->pid, &stat);
}

/* Without memory for it, its track never ends. */
static void forget(const struct update *update, struct tree_process *process)
{
	struct past *past = array_add(&update->scan->past, sizeof *past);

	if (past)
		*past = (struct past){ process->pid, process->track, process->n_holds, update->now_ns };
	update->tree->n_ended++;
	if (process->pidfd)
		close(process->pidfd - 1);
}

static void drop_ended(struct update *update)
{
	struct tree *tree = update->tree;
	struct pollfd fds[PROC_KEPT];
	size_t n_fds = tree->n < PROC_KEPT ? tree->n : PROC_KEPT, kept = 0;

	for (size_t i = 0; i < n_fds; i++)
		fds[i] = (struct pollfd){ .fd = tree->process[i].pidfd - 1, .events = POLLIN };
	if (poll(fds, n_fds, 0) < 0)
		n_fds = 0;
	for (size_t i = 0; i < tree->n; i++) {
		bool is_alive = i < n_fds && fds[i].fd >= 0 && !fds[i].revents;
		if (!is_alive && has_ended(update->target, &tree->process[i]))
			forget(update, &tree->process[i]);
		else
			tree->process[kept++] = tree->process[i];
	}
	tree->n = kept;
}

/* Ends the tracks of those who ended a while ago. */
static int end_tracks(struct update *update)
{
	struct past *past = update->scan->past.data;
	struct event end = { .type = EVENT_TRACK_END };
	size_t kept = 0;
	int result = 0;

	for (size_t i = 0; i < update->scan->past.n; i++) {
		bool is_due = !past[i].n_holds && past[i].ended_ns + TREE_LINGER_NS <= update->now_ns;
		end.track = past[i].track;
		if (is_due && !result && !update->target->is_ending)
			result = sink_put(update->out, &end, update->err);
		else
			past[kept++] = past[i];
	}
	update->scan->past.n = kept;
	return result;
}

/* How often all are looked at. */
static uint64_t walk_of(const struct target *target)
{
	return target->rests ? RESTING_WALK_NS : WALK_NS;
}

/* Who is new */

static int meet(void *ctx, pid_t pid)
{
	struct update *update = ctx;
	struct tree_scan *scan = update->scan;
	struct proc_stat stat;

	/* a program that has its own recorder started, as a notebook has, does not count that as a part of itself */
	if ((scan->is_ours && pid == getpid()) || is_known(update->tree, pid) ||
	    read_stat(update->target, pid, NULL, &stat) || is_over(update->target, pid, &stat))
		return 0;
	if (!ARRAY_ROOM(scan->newcomer, scan->capacity, scan->n_newcomers + 1))
		return err_no_memory(update->err, failure);
	scan->newcomer[scan->n_newcomers++] = (struct newcomer){ pid, stat.start_ticks, update->now_ns };
	return 0;
}

/* The last pid given out on this machine; 0: unknown. */
static uint64_t last_pid(struct update *update)
{
	uint64_t pid = 0;
	char text[128];
	ssize_t got;

	if (*update->target->sysroot)
		got = proc_read(update->target->sysroot, 0, "loadavg", text, sizeof text);
	else
		got = proc_file_read(&update->scan->loadavg, "", 0, "loadavg", text, sizeof text);
	return got > 0 && proc_number(text, (size_t)got, 4, &pid) && pid <= INT_MAX ? pid : 0;
}

/* Threads have numbers, too, and the parent of their process. */
static bool is_process(const struct update *update, pid_t pid)
{
	char text[8192];
	uint64_t group;
	ssize_t got = proc_read(update->target->sysroot, pid, "status", text, sizeof text);

	return got > 0 && proc_field(text, (size_t)got, "Tgid", &group) && group == (uint64_t)pid;
}

/* Most that get a number have ended when it is checked: this costs less than their files. */
static bool is_gone(const struct update *update, pid_t pid)
{
	return update->scan->is_ours && kill(pid, 0) && errno == ESRCH;
}

static bool is_foreign(const struct tree_scan *scan, pid_t pid)
{
	unsigned bit = (unsigned)(pid - scan->first_foreign);

	return bit < MOST_NUMBERS && scan->foreign >> bit & 1;
}

/* At most MOST_NUMBERS. */
static int meet_numbers(struct update *update, pid_t first, pid_t last)
{
	uint64_t foreign = 0;
	struct proc_stat stat;
	int result = 0;

	for (pid_t pid = first; pid <= last && !result; pid++) {
		bool is_others = is_foreign(update->scan, pid);
		if (!is_others && (is_known(update->tree, pid) || is_gone(update, pid) ||
				   read_stat(update->target, pid, NULL, &stat)))
			continue;
		if (is_others || !is_known(update->tree, stat.parent))
			foreign |= UINT64_C(1) << (pid - first);
		else if (is_process(update, pid))
			result = meet(update, pid);
	}
	update->scan->foreign = foreign;
	update->scan->first_foreign = first;
	return result;
}

/* New children may have children: those found are searched, too. -ENOSYS: the kernel has no lists. */
static int walk_children(struct update *update)
{
	struct tree_scan *scan = update->scan;
	int result = 0;

	for (size_t i = 0; i < update->tree->n && (!result || result == -ESRCH); i++)
		result = proc_children(update->target->sysroot, update->tree->process[i].pid, meet, update);
	for (size_t i = 0; i < scan->n_newcomers && (!result || result == -ESRCH); i++)
		result = proc_children(update->target->sysroot, scan->newcomer[i].pid, meet, update);
	return result == -ENOSYS || result == -ENOMEM ? result : 0;
}

static int walk_parents(struct update *update)
{
	struct proc_row *rows;
	size_t n_rows, n_before;
	int result = proc_list(update->target->sysroot, &rows, &n_rows);

	if (result)
		return result == -ENOMEM ? err_no_memory(update->err, failure) : 0;
	do {
		n_before = update->scan->n_newcomers;
		for (size_t i = 0; i < n_rows && !result; i++) {
			if (is_known(update->tree, rows[i].parent))
				result = meet(update, rows[i].pid);
		}
	} while (!result && update->scan->n_newcomers > n_before);
	free(rows);
	return result;
}

static int walk(struct update *update)
{
	struct tree_scan *scan = update->scan;
	int result = 0;

	scan->walk_ns = update->now_ns + walk_of(update->target);
	if (!scan->no_children)
		result = walk_children(update);
	if (result == -ENOSYS)
		scan->no_children = true;
	return scan->no_children ? walk_parents(update) : result;
}

static void read_numbers(struct update *update)
{
	const struct tree_scan *scan = update->scan;

	update->last_pid = last_pid(update);
	update->has_news =
	    !update->last_pid || update->last_pid != scan->before_pid || update->last_pid != scan->last_pid;
	update->tree->n_news += update->has_news;
}

/* A process gets its number a moment before it is visible: each number is checked in two updates. */
static int look_for_new(struct update *update)
{
	struct tree_scan *scan = update->scan;
	uint64_t before = scan->before_pid, last = update->last_pid;
	int result = 0;

	scan->before_pid = scan->last_pid;
	scan->last_pid = last;
	if (!scan->has_root && update->target->pid) {
		result = meet(update, update->target->pid);
		scan->has_root = is_known(update->tree, update->target->pid);
	}
	if (result)
		return result;
	if (!last || update->now_ns >= scan->walk_ns)
		return walk(update);
	/* too many, or the numbers have wrapped */
	if (last - before > MOST_NUMBERS)
		return walk(update);
	return meet_numbers(update, (pid_t)before + 1, (pid_t)last);
}

/* Naming them */

static uint32_t executable(const struct update *update, pid_t pid)
{
	char path[PATH_MAX];

	program_executable(update->target->sysroot, pid, path, sizeof path);
	return names_of(update->out->names, path);
}

static void set_look(const struct update *update, struct tree_process *process)
{
	uint64_t age_ns = update->now_ns > process->start_ns ? update->now_ns - process->start_ns : 0;
	uint64_t most_ns = walk_of(update->target);

	if (update->tree->n <= FEW)
		age_ns = age_ns < WALK_NS ? 0 : LOOK_NS;
	process->look_ns = update->now_ns + (age_ns < SETTLE_NS ? SETTLE_NS : age_ns < most_ns ? age_ns : most_ns);
}

static int announce(struct update *update, struct tree_process *process, const char *comm)
{
	struct names *names = update->out->names;
	const char *sysroot = update->target->sysroot;
	char name[256], command[COMMAND];
	struct track_def def = { .type = TRACK_PROCESS, .pid = process->pid, .start_ns = process->start_ns };
	struct event event = { .type = EVENT_TRACK, .track = process->track, .time_ns = update->now_ns, .def = &def };

	process->exe = executable(update, process->pid);
	set_look(update, process);
	program_name(sysroot, process->pid, comm, name, sizeof name);
	program_command(sysroot, process->pid, command, sizeof command);
	def.name = names_pass(names, name, strlen(name));
	def.command = names_pass(names, command, strlen(command));
	return sink_put(update->out, &event, update->err);
}

/* A process that ends or changes hands can no longer be read, and keeps its name. */
static int rename_changed(struct update *update)
{
	struct tree *tree = update->tree;
	struct proc_stat stat;
	int result = 0;

	for (size_t i = 0; i < tree->n && !result; i++) {
		struct tree_process *process = &tree->process[i];
		uint32_t exe;
		if (update->now_ns < process->look_ns && !(update->has_news && tree->n <= FEW))
			continue;
		set_look(update, process);
		exe = executable(update, process->pid);
		if (!exe || exe == process->exe ||
		    read_stat(update->target, process->pid, &process->start_ticks, &stat))
			continue;
		result = announce(update, process, stat.name);
	}
	return result;
}

static int open_pidfd(const struct update *update, const struct tree_process *process)
{
	struct proc_stat stat;
	int fd;

	if (!update->scan->is_ours || update->tree->n >= PROC_KEPT)
		return -1;
	fd = (int)syscall(SYS_pidfd_open, process->pid, 0);
	/* Check again that it is the same process. */
	if (fd >= 0 && read_stat(update->target, process->pid, &process->start_ticks, &stat)) {
		close(fd);
		return -1;
	}
	return fd;
}

static int admit(struct update *update, pid_t pid, const struct proc_stat *stat)
{
	struct tree *tree = update->tree;
	struct tree_process process = { .pid = pid, .start_ticks = stat->start_ticks };

	if (!ARRAY_ROOM(tree->process, tree->capacity, tree->n + 1))
		return err_no_memory(update->err, failure);
	process.track = sink_new_track(update->out);
	process.start_ns = start_of(update, stat->start_ticks);
	process.pidfd = open_pidfd(update, &process) + 1;
	process.number = ++update->scan->n_admitted;
	tree->process[tree->n] = process;
	return announce(update, &tree->process[tree->n++], stat->name);
}

static void forget_newcomer(struct tree_scan *scan, pid_t pid)
{
	size_t kept = 0;

	for (size_t i = 0; i < scan->n_newcomers; i++) {
		if (scan->newcomer[i].pid != pid)
			scan->newcomer[kept++] = scan->newcomer[i];
	}
	scan->n_newcomers = kept;
}

static bool is_settled(const struct update *update, const struct newcomer *newcomer, const struct proc_stat *stat)
{
	uint64_t start_ns = start_of(update, newcomer->start_ticks);

	if (!start_ns || start_ns > newcomer->seen_ns)
		start_ns = newcomer->seen_ns;
	return update->now_ns >= start_ns + SETTLE_NS || proc_is_zombie(stat) || update->target->is_ending;
}

static int settle(struct update *update)
{
	struct tree_scan *scan = update->scan;
	size_t kept = 0;
	int result = 0;

	for (size_t i = 0; i < scan->n_newcomers; i++) {
		struct newcomer newcomer = scan->newcomer[i];
		struct proc_stat stat;
		if (result || read_stat(update->target, newcomer.pid, &newcomer.start_ticks, &stat))
			continue;
		if (is_over(update->target, newcomer.pid, &stat))
			continue;
		if (is_settled(update, &newcomer, &stat))
			result = admit(update, newcomer.pid, &stat);
		else
			scan->newcomer[kept++] = newcomer;
	}
	scan->n_newcomers = kept;
	return result;
}

static void set_due(struct update *update, uint64_t cost_ns)
{
	uint64_t step_ns = update->scan->n_newcomers ? SETTLE_NS : update->target->rests ? RESTING_NS : UPDATE_NS;
	uint64_t pause_ns = cost_ns * (update->target->rests ? RESTING_PAUSE : PAUSE);

	if (update->target->interval_ns && update->target->interval_ns < step_ns)
		step_ns = update->target->interval_ns;
	if (pause_ns > walk_of(update->target))
		pause_ns = walk_of(update->target);
	/* On the grid of the step, so that all with the same step wake up together. */
	update->scan->due_ns = (update->now_ns / step_ns + 1) * step_ns;
	if (update->scan->due_ns < update->now_ns + pause_ns)
		update->scan->due_ns = update->now_ns + pause_ns;
}

int tree_update(struct tree *tree, const struct target *target, struct sink *out, uint64_t now_ns, struct err *err)
{
	uint64_t began_ns = clock_ns();
	struct update update;
	int result = update_init(&update, tree, target, out, now_ns, err);

	if (result)
		return result;
	drop_ended(&update);
	result = end_tracks(&update);
	read_numbers(&update);
	if (!result)
		result = rename_changed(&update);
	if (!result)
		result = look_for_new(&update);
	if (!result)
		result = settle(&update);
	set_due(&update, clock_ns() - began_ns);
	return result;
}

int tree_due_ms(const struct tree *tree)
{
	uint64_t now_ns = clock_ns();

	if (!tree->scan || tree->scan->due_ns <= now_ns)
		return 0;
	return (int)((tree->scan->due_ns - now_ns + MS_NS - 1) / MS_NS);
}

uint32_t tree_add(struct tree *tree, const struct target *target, struct sink *out, pid_t pid, uint64_t now_ns,
		  struct err *err)
{
	struct update update;
	struct proc_stat stat;
	struct tree_process *process;
	int result = update_init(&update, tree, target, out, now_ns, err);

	if (result)
		return 0;
	/* So that the pid cannot belong to an earlier process. */
	drop_ended(&update);
	result = read_stat(target, pid, NULL, &stat);
	if (result == -ESRCH && tree_track(tree, pid))
		return tree_track(tree, pid);
	if (result) {
		err_set(err, -result, "cannot read %s/proc/%d/stat: %s", target->sysroot, (int)pid, strerror(-result));
		return 0;
	}
	process = find(tree, pid);
	if (process)
		return process->track;
	forget_newcomer(tree->scan, pid);
	if (pid == target->pid)
		tree->scan->has_root = true;
	return admit(&update, pid, &stat) ? 0 : tree->process[tree->n - 1].track;
}

uint32_t tree_track(const struct tree *tree, pid_t pid)
{
	const struct tree_process *process = find(tree, pid);
	const struct past *past = tree->scan ? tree->scan->past.data : NULL;

	if (process || !past)
		return process ? process->track : 0;
	for (size_t i = tree->scan->past.n; i-- > 0;)
		if (past[i].pid == pid)
			return past[i].track;
	return 0;
}

/* NULL: unknown. */
static uint32_t *holds_of(struct tree *tree, uint32_t track)
{
	struct past *past = tree->scan ? tree->scan->past.data : NULL;

	for (size_t i = 0; track && i < tree->n; i++)
		if (tree->process[i].track == track)
			return &tree->process[i].n_holds;
	for (size_t i = 0; track && past && i < tree->scan->past.n; i++)
		if (past[i].track == track)
			return &past[i].n_holds;
	return NULL;
}

void tree_hold(struct tree *tree, uint32_t track)
{
	uint32_t *n = holds_of(tree, track);

	if (n)
		++*n;
}

void tree_release(struct tree *tree, uint32_t track)
{
	uint32_t *n = holds_of(tree, track);

	if (n && *n)
		--*n;
}

void tree_done(struct tree *tree)
{
	for (size_t i = 0; i < tree->n; i++) {
		if (tree->process[i].pidfd)
			close(tree->process[i].pidfd - 1);
	}
	if (tree->scan) {
		proc_file_close(&tree->scan->loadavg);
		free(tree->scan->newcomer);
		array_done(&tree->scan->past, sizeof(struct past));
	}
	free(tree->scan);
	free(tree->process);
	*tree = (struct tree){ 0 };
}
