// SPDX-License-Identifier: Apache-2.0
/*
 * Between who watches for programs (capture/probe/next.h) and the recorder: puts probes into a program that is held,
 * hands it to the recorder, lets it go. A program that cannot be recorded is reported, and goes on unchanged.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "capture/probe/next/next.h"
#include "capture/probe/uprobe.h"
#include "capture/proc/proc.h"
#include "capture/recorder/attach/attach_find.h"
#include "capture/recorder/attach/attach_in.h"

enum { MAX_STEPS = 64, MAX_WAITING = 64 };
static const uint64_t longest_wait_ns = 2000000000;

struct attach_next {
	const struct attach_job *job;
	struct uprobes *uprobes;
	struct next *next;
	uint64_t n_lost; /* that were told of */
	struct {
		pid_t pid;
		uint64_t since_ns;
	} waiting[MAX_WAITING]; /* held, with probes, until the recorder knows them */
	size_t n_waiting;
	bool has_one; /* and wants no more */
	struct {
		pid_t pid;
		uint64_t start_ticks;
	} followed;	  /* as long as it lives, only its own children are wanted; pid 0: any that fits is */
	bool has_refused; /* another one that fits, meanwhile */
};

static pid_t parent_of(pid_t pid)
{
	struct proc_stat stat;
	char text[1024];
	ssize_t got = proc_read("", pid, "stat", text, sizeof text);

	return got > 0 && proc_stat_parse(text, (size_t)got, &stat) ? stat.parent : 0;
}

/* One that is recorded, or that such a one has started: these belong to it. */
static bool is_of(const struct attached *attached, pid_t pid)
{
	for (int step = 0; step < MAX_STEPS && attached->n && pid > 1; step++, pid = parent_of(pid))
		for (size_t i = 0; i < attached->n; i++)
			if (attached->program[i].pid == pid)
				return true;
	return false;
}

static bool is_followed_alive(const struct attach_next *all)
{
	return all->followed.pid &&
	       attached_lives(all->job->attach->attached, all->followed.pid, all->followed.start_ticks);
}

static bool wants(void *ctx, pid_t pid)
{
	struct attach_next *all = ctx;
	bool fits = attach_fit(&all->job->attach->wish, pid);

	if ((fits && !is_followed_alive(all)) || is_of(all->job->attach->attached, pid))
		return true;
	if (fits && !all->has_refused)
		say_info(&all->job->opts->say,
			 "process %d was started from the same file; it is not recorded while process %d runs",
			 (int)pid, (int)all->followed.pid);
	all->has_refused |= fits;
	return false;
}

static bool is_attached(const struct attached *attached, const struct next_program *program)
{
	for (size_t i = 0; i < attached->n; i++)
		if (attached->program[i].pid == program->pid &&
		    attached->program[i].start_ticks == program->start_ticks)
			return true;
	return false;
}

/* It was let go before we were done with it. */
static bool has_run_on(const struct next_program *program)
{
	return program->is_held && clock_ns() > program->held_ns + NEXT_LONGEST_HOLD_S * 1000000000ull;
}

static void announce(const struct attach_next *all, const struct next_program *program)
{
	const struct say *say = &all->job->opts->say;
	char name[64];

	attach_called(program->pid, name, sizeof name);
	say_info(say, "recording %s (%d)", name, (int)program->pid);
	if (*program->why_not)
		say_warning(say, "the beginning of %d may be missing: %s", (int)program->pid, program->why_not);
	else if (has_run_on(program))
		say_warning(say,
			    "the beginning of process %d may be missing: adding probes took %.1f s, and inftrace stops "
			    "a program for at most %d s",
			    (int)program->pid, (double)(clock_ns() - program->held_ns) / 1e9, NEXT_LONGEST_HOLD_S);
}

/* The one that was added last is followed from now on. */
static void follow(struct attach_next *all, const struct attached *attached)
{
	if (!all->job->attach->follows || !attached->n)
		return;
	all->followed.pid = attached->program[attached->n - 1].pid;
	all->followed.start_ticks = attached->program[attached->n - 1].start_ticks;
}

/* Puts probes into it and adds it to those that are recorded. False: it is not recorded, which is said. */
static bool admit(struct attach_next *all, struct attached *attached, const struct next_program *program)
{
	const struct say *say = &all->job->opts->say;
	bool is_new = !is_attached(attached, program), is_next = !is_of(attached, program->pid);
	struct err trouble = { 0 };
	int n = uprobes_arm(all->uprobes, program->pid, program->start_ticks, NULL, &trouble);

	if (n > 0 && is_new)
		n = attached_add(attached, program->pid, program->start_ticks, &trouble) ? -1 : n;
	if (n < 0 && trouble.code != ESRCH)
		say_warning(say, "%s", trouble.msg);
	else if (n < 0 && is_new)
		say_warning(say, "process %d ended before it was probed; it is not recorded", (int)program->pid);
	if (n > 0 && is_new)
		announce(all, program);
	if (n > 0 && is_next)
		follow(all, attached);
	if (n > 0)
		attach_say_left_out(all->job, all->uprobes, program->pid);
	return n > 0;
}

static void tell_loss(struct attach_next *all)
{
	uint64_t n_lost = all->next ? next_lost(all->next) : 0;

	if (n_lost > all->n_lost) {
		say_warning(&all->job->opts->say,
			    "files were mapped faster than inftrace could read them; %llu were skipped, so a program "
			    "may have been missed",
			    (unsigned long long)(n_lost - all->n_lost));
		all->n_lost = n_lost;
	}
}

/* Whether the source has taken up what was armed in this process: from then on its records find their place. */
static bool is_taken_up(struct uprobes *uprobes, pid_t pid)
{
	for (uint32_t i = 0; i < UPROBE_MAX_ARMED; i++) {
		const struct uprobes_copy *copy = uprobes_copy(uprobes, i);
		if (copy && copy->pid == pid && copy->is_new)
			return false;
	}
	return true;
}

/* Lets those go on that the recorder knows by now. A program that ran on before might be over before it is known. */
static void release_known(struct attach_next *all)
{
	uint64_t now_ns = clock_ns();

	for (size_t i = all->n_waiting; i-- > 0;) {
		if (!is_taken_up(all->uprobes, all->waiting[i].pid) &&
		    now_ns < all->waiting[i].since_ns + longest_wait_ns)
			continue;
		next_release(all->next, all->waiting[i].pid);
		all->waiting[i] = all->waiting[--all->n_waiting];
	}
}

static bool may_succeed(const struct attach_next *all, const struct attach_match *match)
{
	return match->has_runtime && match->start_ticks >= all->followed.start_ticks &&
	       !is_of(all->job->attach->attached, match->pid);
}

/* The one that is followed has ended, and its successor may have been started before: the oldest that is younger. */
static void follow_refused(struct attach_next *all, struct attached *attached)
{
	struct attach_matches matches;
	bool is_found = false;
	struct err ignored;
	int code = attach_find(&all->job->attach->wish, &matches, &ignored);

	all->has_refused = false;
	for (size_t i = 0; i < matches.n && !code && !all->has_refused; i++) {
		const struct attach_match *match = &matches.match[i];
		struct next_program program = { .pid = match->pid, .start_ticks = match->start_ticks };

		if (!may_succeed(all, match))
			continue;
		all->has_refused = is_found; /* there is one more */
		if (is_found || attached_add(attached, match->pid, match->start_ticks, &ignored))
			continue;
		is_found = true;
		snprintf(program.why_not, sizeof program.why_not, "it was started before the end of process %d",
			 (int)all->followed.pid);
		announce(all, &program);
		follow(all, attached);
	}
	attach_matches_done(&matches);
}

/* One at a time: the recorder has others to read meanwhile. */
static int look(void *ctx, struct attached *attached, struct err *err)
{
	struct attach_next *all = ctx;
	struct next_program program;
	int n = 0;

	if (!all->next)
		return 0;
	release_known(all);
	if (all->has_refused && !is_followed_alive(all))
		follow_refused(all, attached);
	if (!all->has_one && all->n_waiting < MAX_WAITING)
		n = next_take(all->next, wants, all, &program, err);
	if (n > 0 && admit(all, attached, &program)) {
		all->waiting[all->n_waiting].pid = program.pid;
		all->waiting[all->n_waiting++].since_ns = clock_ns();
		all->has_one = all->job->attach->takes_one;
		attached->waits = !all->has_one;
	} else if (n > 0) {
		next_release(all->next, program.pid);
	}
	attached->is_hurried = all->n_waiting > 0;
	tell_loss(all);
	if (all->has_one && !all->n_waiting) {
		next_close(all->next);
		all->next = NULL;
	}
	return n < 0 ? n : 0;
}

struct attach_next *attach_next_open(const struct attach_job *job, struct uprobes *uprobes, struct err *err)
{
	struct attach_next *all = calloc(1, sizeof *all);

	if (!all) {
		err_no_memory(err, "cannot watch for programs");
		return NULL;
	}
	*all = (struct attach_next){ .job = job, .uprobes = uprobes, .next = next_open(job->attach->spares, err) };
	follow(all, job->attach->attached);
	if (!all->next || attached_watch(job->attach->attached, next_fd(all->next), err)) {
		attach_next_close(all);
		return NULL;
	}
	job->attach->attached->look = look;
	job->attach->attached->ctx = all;
	return all;
}

void attach_next_close(struct attach_next *all)
{
	if (!all)
		return;
	next_close(all->next);
	free(all);
}
