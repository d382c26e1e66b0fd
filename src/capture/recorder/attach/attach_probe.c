// SPDX-License-Identifier: Apache-2.0
/*
 * Records programs through probes from outside: looks whether this is allowed here, puts probes into the programs and
 * all that they have started, gives up the rights that this took, records, and takes the probes out.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/probe/uprobes.h"
#include "capture/proc/rights.h"
#include "capture/recorder/attach/attach_find.h"
#include "capture/recorder/attach/attach_in.h"
#include "capture/recorder/attach/attach_list.h"

/*
 * The program and what is below it. How many copies of a runtime have probes; -errno and err when that went wrong and
 * there are none.
 */
static int arm_family(const struct attach_job *job, struct uprobes *uprobes, pid_t pid, struct err *err)
{
	struct err trouble = { 0 };
	int armed = 0, code = 0;
	pid_t *pids;
	ssize_t n = attach_find_family(pid, &pids);

	if (n < 0)
		return err_set(err, (int)-n, "cannot list the children of process %d: %s", (int)pid, strerror((int)-n));
	for (ssize_t i = 0; i < n; i++) {
		int found = uprobes_arm(uprobes, pids[i], 0, NULL, &trouble);
		if (found >= 0) {
			armed += found;
			attach_say_left_out(job, uprobes, pids[i]);
		} else if (!code || i == 0) {
			code = found;
			*err = trouble;
		}
	}
	free(pids);
	/* a process below that came and went is nothing to stop for */
	return armed ? armed : code == -ESRCH && n > 1 ? 0 : code;
}

/* A failure of one of several is said; of the only one it is an error. */
static int arm_all(const struct attach_job *job, struct uprobes *uprobes, struct err *err)
{
	const struct attached *attached = job->attach->attached;
	int n_armed = 0, code = 0;

	for (size_t i = 0; i < attached->n; i++) {
		pid_t pid = attached->program[i].pid;
		char name[64];
		attach_called(pid, name, sizeof name);
		code = arm_family(job, uprobes, pid, err);
		if (!code && !attached->waits)
			code = attach_loaded_nothing(name, pid, err);
		if (code < 0 && (attached->n > 1 || job->attach->takes_all))
			say_warning(&job->opts->say, "%s", err->msg);
		n_armed += code > 0 ? code : 0;
		if (code > 0)
			attach_say_recording(job, name, pid);
	}
	if (n_armed || job->attach->takes_all)
		return 0;
	return code < 0 || !attached->waits ? code : 0;
}

/* Once all is open that needs rights. Programs to come need them again. */
static int drop_rights(void *ctx, struct err *err)
{
	struct uprobes *uprobes = ctx;

	return uprobes_drop_rights(uprobes, err);
}

static int check_program(const struct attach_job *job, pid_t pid, struct err *err)
{
	int code = rights_check_pid("", pid, err);

	if (code == -EPERM)
		say_info(&job->opts->say, "%s", err->msg);
	/* one of several that has ended since is none */
	if (code == -ESRCH && (job->attach->attached->n > 1 || job->attach->takes_all))
		return 0;
	return code == -EPERM ? 0 : code;
}

/* All that have a runtime loaded. */
static int find_loaded(const struct attach_job *job, struct err *err)
{
	struct attach_list list;
	struct err ignored;
	int code = attach_list_find(&list, err);

	for (size_t i = 0; i < list.n && !code; i++)
		if (list.row[i].can_probe)
			attached_add(job->attach->attached, list.row[i].match.pid, list.row[i].match.start_ticks,
				     &ignored);
	attach_list_done(&list);
	return code;
}

/* Those that came while we were about to watch for them. */
static int find_again(const struct attach_job *job, struct err *err)
{
	const struct attach_wish *wish = &job->attach->wish;
	struct attach_matches matches;
	struct err ignored;
	int code;

	if (!wish->name && !wish->path)
		return find_loaded(job, err);
	code = attach_find(wish, &matches, err);
	for (size_t i = 0; i < matches.n && !code; i++)
		attached_add(job->attach->attached, matches.match[i].pid, matches.match[i].start_ticks, &ignored);
	attach_matches_done(&matches);
	return code;
}

/* --inject needs no rights for a program of the same user. */
static void mention_inject(const struct attach_job *job, struct err *err)
{
	static const char hint[] = " (or attach --inject, which needs none)";
	const struct attached *attached = job->attach->attached;
	size_t len = strlen(err->msg);
	char path[64];
	struct stat stat_;

	if (err->code != EPERM || attached->n != 1 || attached->waits)
		return;
	snprintf(path, sizeof path, "/proc/%d", (int)attached->program[0].pid);
	if (!stat(path, &stat_) && stat_.st_uid == geteuid() && len + sizeof hint <= sizeof err->msg)
		strcpy(err->msg + len, hint);
}

/* For programs to come. */
static int watch(const struct attach_job *job, struct uprobes *uprobes, struct attach_next **next, struct err *err)
{
	job->attach->attached->time_waits = job->attach->takes_one;
	*next = attach_next_open(job, uprobes, err);
	if (!*next)
		return -err->code;
	return job->attach->takes_all ? find_again(job, err) : 0;
}

static void say_waiting(const struct attach_job *job)
{
	const struct attach_wish *wish = &job->attach->wish;
	const char *text = wish->name ? wish->name : wish->path;

	say_info(&job->opts->say, "waiting for %s%s%.150s; Ctrl-C ends the recording",
		 job->attach->takes_one ? "the next program that loads a runtime" : "programs that load a runtime",
		 wish->name ? ", called "
		 : text	    ? ", of "
			    : "",
		 text ? text : "");
}

/* Before anything is done: what perf events cost, which other links do not. */
static void say_cost(const struct attach_job *job, const struct uprobes *uprobes, bool has_operators)
{
	if (!uprobes_is_slow(uprobes))
		return;
	say_info(&job->opts->say,
		 "%s: one perf event for each of about %s probes, which the kernel removes one by one%s%s",
		 job->attach->probes.link == UPROBE_LINK_PERF ? "--link perf" : "this kernel is older than 6.6",
		 has_operators ? "750" : "50",
		 has_operators ? ", in the background for a minute or so when the recording is over; "
				 "other attach commands wait for that"
			       : ", for some seconds when the recording is over",
		 has_operators ? " (--level inference: seconds)" : "");
}

static int check_rights(const struct attach_job *job, struct err *err)
{
	const struct attached *attached = job->attach->attached;
	int code = rights_check("", err);

	if (code)
		mention_inject(job, err);
	for (size_t i = 0; i < attached->n && !code; i++)
		code = check_program(job, attached->program[i].pid, err);
	return code;
}

int attach_probe(const struct attach_job *job, struct err *err)
{
	bool waits = job->attach->attached->waits;
	struct uprobes_opts opts = job->attach->probes;
	struct recorder_way way = { .go = waits ? NULL : drop_rights, .needed = "uprobe" };
	struct attach_next *next = NULL;
	int code = check_rights(job, err);

	if (code)
		return code;
	/* where all programs are watched, none pays for probes that are for others */
	opts.is_shared = job->attach->takes_all;
	opts.shares_late = job->attach->wish.name || job->attach->wish.path;
	opts.has_operators = strcmp(job->opts->plan.level, "inference") != 0;
	way.target.drops_rights = way.go != NULL;
	way.target.rests = waits && !job->attach->takes_one; /* which stops looking out for programs */
	way.target.uprobes = way.ctx = uprobes_open(&opts, err);
	if (!way.target.uprobes)
		return -err->code;
	say_cost(job, way.target.uprobes, opts.has_operators);
	if (waits)
		code = watch(job, way.target.uprobes, &next, err);
	if (!code)
		code = arm_all(job, way.target.uprobes, err);
	if (!code && waits)
		say_waiting(job);
	if (!code)
		code = attach_record(job, &way, err);
	attach_next_close(next);
	uprobes_close(way.target.uprobes);
	return code;
}
