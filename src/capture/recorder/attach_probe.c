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

#include "base/term.h"
#include "capture/probe/uprobe.h"
#include "capture/probe/uprobes.h"
#include "capture/proc/proc.h"
#include "capture/proc/rights.h"
#include "capture/recorder/attach.h"
#include "capture/recorder/attach_find.h"
#include "capture/recorder/attach_loaded.h"
#include "capture/recorder/attach_next.h"

static enum uprobe_link_type link_type(const char *name)
{
	static const struct {
		const char *name;
		enum uprobe_link_type type;
	} types[] = { { "session", UPROBE_LINK_SESSION },
		      { "multi", UPROBE_LINK_MULTI },
		      { "perf", UPROBE_LINK_PERF } };

	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (!strcmp(name, types[i].name))
			return types[i].type;
	return UPROBE_LINK_ANY;
}

void attach_say_left_out(struct uprobes *uprobes, pid_t pid)
{
	for (uint32_t i = 0; i < UPROBE_MAX_ARMED; i++) {
		const struct uprobes_copy *copy = uprobes_copy(uprobes, i);
		if (copy && copy->pid == pid && copy->is_new && *copy->left_out)
			term_say("ONNX Runtime %s in %s is not understood in whole: not seen are %s",
				 *copy->version ? copy->version : "(unknown version)", copy->path, copy->left_out);
	}
}

/*
 * The program and what is below it. How many copies of a runtime have probes; -errno and err when that went wrong and
 * there are none.
 */
static int arm_family(struct uprobes *uprobes, pid_t pid, struct err *err)
{
	struct err trouble = { 0 };
	int armed = 0, code = 0;
	pid_t *pids;
	ssize_t n = attach_find_family(pid, &pids);

	if (n < 0)
		return err_set(err, (int)-n, "cannot find what process %d has started: %s", (int)pid,
			       strerror((int)-n));
	for (ssize_t i = 0; i < n; i++) {
		int found = uprobes_arm(uprobes, pids[i], &trouble);
		if (found >= 0) {
			armed += found;
			attach_say_left_out(uprobes, pids[i]);
		} else if (!code || i == 0) {
			code = found;
			*err = trouble;
		}
	}
	free(pids);
	/* a process below that came and went is nothing to stop for */
	return armed ? armed : code == -ESRCH && n > 1 ? 0 : code;
}

static void program_called(pid_t pid, char *name, size_t size)
{
	struct attach_match match;
	struct err ignored;

	snprintf(name, size, "%s", attach_find_pid(pid, &match, &ignored) ? "?" : match.name);
}

/* One of several that cannot be seen is said; the only one is an error. */
static int arm_all(struct attach_job *job, struct uprobes *uprobes, struct err *err)
{
	int n_armed = 0, code = 0;

	for (size_t i = 0; i < job->attached.n; i++) {
		pid_t pid = job->attached.program[i].pid;
		char name[64];
		program_called(pid, name, sizeof name);
		code = arm_family(uprobes, pid, err);
		if (!code && !job->attached.waits)
			code = attach_loaded_nothing(name, pid, err);
		if (code < 0 && (job->attached.n > 1 || job->takes_all))
			term_say("%s", err->msg);
		n_armed += code > 0 ? code : 0;
		if (code > 0 && !job->options->quiet)
			term_say("recording %s (%d)%s; Ctrl-C ends the recording, the program goes on", name, (int)pid,
				 attach_find_is_stopped(pid)
				     ? ", which is stopped (SIGSTOP, or a debugger) and does nothing just now"
				     : "");
	}
	if (n_armed || job->takes_all)
		return 0;
	return code < 0 || !job->attached.waits ? code : 0;
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

	if (code == -EPERM && !job->options->quiet)
		term_say("%s", err->msg);
	/* one of several that has ended since is none */
	if (code == -ESRCH && (job->attached.n > 1 || job->takes_all))
		return 0;
	return code == -EPERM ? 0 : code;
}

/* Those that came while we were about to watch for them. */
static int find_again(struct attach_job *job, struct err *err)
{
	struct attach_matches matches;
	struct err ignored;
	int code = attach_find(&job->wish, &matches, err);

	for (size_t i = 0; i < matches.n && !code; i++)
		attached_add(&job->attached, matches.match[i].pid, matches.match[i].start_ticks, &ignored);
	attach_matches_done(&matches);
	return code;
}

/* --inject needs no rights for a program of the same user. */
static void mention_inject(const struct attach_job *job, struct err *err)
{
	static const char hint[] = " (or attach --inject, which needs none)";
	size_t len = strlen(err->msg);
	char path[64];
	struct stat stat_;

	if (err->code != EPERM || job->attached.n != 1 || job->attached.waits)
		return;
	snprintf(path, sizeof path, "/proc/%d", (int)job->attached.program[0].pid);
	if (!stat(path, &stat_) && stat_.st_uid == geteuid() && len + sizeof hint <= sizeof err->msg)
		strcpy(err->msg + len, hint);
}

/* For programs to come. */
static int watch(struct attach_job *job, struct uprobes *uprobes, struct attach_next **next, struct err *err)
{
	job->attached.time_waits = job->takes_one;
	*next = attach_next_open(job, uprobes, err);
	if (!*next)
		return -err->code;
	return job->takes_all ? find_again(job, err) : 0;
}

static void say_waiting(const struct attach_job *job)
{
	const char *wish = job->wish.name ? job->wish.name : job->wish.path;

	if (job->options->quiet)
		return;
	term_say("waiting for %s%s%.150s; Ctrl-C ends the recording",
		 job->takes_one ? "the next program that loads a runtime" : "programs that load a runtime",
		 job->wish.name ? ", called "
		 : wish		? ", of "
				: "",
		 wish ? wish : "");
}

/* Before anything is done: what perf events cost, which other links do not. */
static void say_cost(const struct attach_job *job, const struct uprobes *uprobes, bool has_operators)
{
	if (!uprobes_is_slow(uprobes) || job->options->quiet)
		return;
	term_say("%s: an event of its own for each of some %s probes, which the kernel takes out one by one%s%s",
		 link_type(job->probes->link) == UPROBE_LINK_PERF ? "--link perf" : "this kernel is older than 6.6",
		 has_operators ? "750" : "50",
		 has_operators ? ", in the background for a minute or so when the recording is over; "
				 "who attaches meanwhile waits"
			       : ", for some seconds when the recording is over",
		 has_operators ? " (--level inference: seconds)" : "");
}

int attach_probe(struct attach_job *job, struct err *err)
{
	const struct probe_options *probes = job->probes;
	struct uprobes_opts opts = {
		.link = link_type(probes->link),
		.has_operators = strcmp(job->options->level, "inference"),
		.sample = (uint32_t)strtoul(probes->sample, NULL, 10),
		.max_per_second = (uint64_t)probes->rate,
	};
	struct target target = { .level = job->options->level };
	struct attach_next *next = NULL;
	int code = rights_check("", err);

	if (code)
		mention_inject(job, err);
	for (size_t i = 0; i < job->attached.n && !code; i++)
		code = check_program(job, job->attached.program[i].pid, err);
	if (code)
		return code;
	target.uprobes = uprobes_open(&opts, err);
	if (!target.uprobes)
		return -err->code;
	say_cost(job, target.uprobes, opts.has_operators);
	code = attach_open(job, err);
	if (!code && job->attached.waits)
		code = watch(job, target.uprobes, &next, err);
	if (!code)
		code = arm_all(job, target.uprobes, err);
	if (!code && job->attached.waits)
		say_waiting(job);
	if (!code)
		code = attach_record(job, &target, "uprobe", job->attached.waits ? NULL : drop_rights, target.uprobes,
				     err);
	if (code < 0)
		attach_drop(job);
	attach_next_close(next);
	uprobes_close(target.uprobes);
	return code;
}
