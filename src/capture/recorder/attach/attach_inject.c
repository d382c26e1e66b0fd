// SPDX-License-Identifier: Apache-2.0
/*
 * Records programs by bringing the agent into them (capture/inject/inject.h): into each that was chosen and into what
 * it has started, as far as a runtime is in it. The agents leave when the recording ends; that is waited for before the
 * last of what they told is read.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/part_path.h"
#include "capture/inject/inject.h"
#include "capture/proc/proc.h"
#include "capture/recorder/attach/attach_find.h"
#include "capture/recorder/attach/attach_in.h"

enum { SOON_MS = 300, COMING_MS = 5000, MAX_INJECTED = 256 };
#define LEAVE_NS 3000000000u
/* For the agent of a recorder that was killed: its thread may wait for a CPU. */
#define EARLIER_NS 10000000000u

struct injected {
	struct inject inject;
	char name[64];
	bool is_coming, is_there, is_gone, has_failed; /* what was seen, and said, of it */
};

struct injecting {
	const struct attach_job *job;
	struct injected *injected;
	struct host *host; /* of each, what the recording is told of it */
	const char *ring_dir[MAX_INJECTED + 1];
	size_t n;
};

static uint32_t level_number(const char *level)
{
	return !strcmp(level, "inference") ? 1 : !strcmp(level, "operator") ? 2 : 3;
}

/* What the recording knows of it if no agent comes to tell. */
static struct host host_of(const struct injected *injected)
{
	return (struct host){ .pid = injected->inject.pid,
			      .name = injected->name,
			      .path = injected->inject.path,
			      .version = injected->inject.version,
			      .unseen = "nothing, for it made no inference with which recording could begin" };
}

static int prepare_one(struct injecting *all, pid_t pid, uint64_t start_ticks, const struct inject_opts *opts,
		       struct err *err)
{
	struct injected *injected = &all->injected[all->n];
	int code;

	for (size_t i = 0; i < all->n; i++)
		if (all->injected[i].inject.pid == pid)
			return 0; /* a program that was chosen, and is below another one that was */
	if (all->n == MAX_INJECTED)
		return err_set(err, E2BIG, "cannot inject into more than %d processes at a time", MAX_INJECTED);
	code = inject_prepare(&injected->inject, pid, start_ticks, opts, err);
	if (code) {
		inject_done(&injected->inject);
		return code;
	}
	attach_called(pid, injected->name, sizeof injected->name);
	all->host[all->n++] = host_of(injected);
	return 0;
}

/* The program itself, then those below it that have a runtime; of these one that cannot be injected is said and left
 * out. */
static int prepare_family(struct injecting *all, const struct attached_program *program, const struct inject_opts *opts,
			  struct err *err)
{
	struct modules_seen seen = { 0 };
	struct err trouble = { 0 };
	size_t before = all->n;
	pid_t *pids;
	ssize_t n = attach_find_family(program->pid, &pids);
	int code;

	if (n < 0)
		return err_set(err, (int)-n, "cannot list the children of process %d: %s", (int)program->pid,
			       strerror((int)-n));
	code = prepare_one(all, program->pid, program->start_ticks, opts, err);
	for (ssize_t i = 0; i < n && trouble.code != E2BIG; i++) {
		if (pids[i] == program->pid || attach_loaded(&seen, pids[i]) != ATTACH_RUNTIME)
			continue;
		if (prepare_one(all, pids[i], 0, opts, &trouble) && trouble.code != ESRCH)
			say_warning(&all->job->opts->say, "%s", trouble.msg);
	}
	free(pids);
	modules_seen_done(&seen);
	/* a program that has nothing but a child with a runtime is as good as that */
	return (code == -ENOENT || code == -ESRCH) && all->n > before ? 0 : code;
}

/* The memory that it was in is no more, but the process has one: it has called exec. One that ends has none. */
static void see_other_program(const struct injecting *all, const struct injected *injected, struct host *host)
{
	char link[64], path[2];

	snprintf(link, sizeof link, "/proc/%d/exe", (int)proc_living("", host->pid));
	host->is_another = readlink(link, path, sizeof path) > 0;
	if (host->is_another)
		say_warning(&all->job->opts->say,
			    "%s (%d) has become another program (exec) without the agent; recording of it ends",
			    injected->name, (int)host->pid);
}

/* Says what became of a program, once. -errno and err: the only one could not be injected. */
static int look_at(struct injecting *all, struct injected *injected, struct err *err)
{
	struct host *host = &all->host[injected - all->injected];
	struct err why = { 0 };
	enum inject_where where = inject_look(&injected->inject, &why);

	if (where == INJECT_FAILED && !injected->has_failed) {
		injected->has_failed = true;
		snprintf(host->unseen, sizeof host->unseen, "nothing: %.240s", why.msg);
		if (all->n == 1) {
			*err = why;
			return -err->code;
		}
		say_warning(&all->job->opts->say, "%s", why.msg);
	}
	if ((where == INJECT_THERE || where == INJECT_LEFT) && !injected->is_there)
		attach_say_recording(all->job, injected->name, injected->inject.pid);
	if (where == INJECT_GONE && !injected->is_gone)
		see_other_program(all, injected, host);
	injected->is_gone |= where == INJECT_GONE;
	injected->is_coming |= where == INJECT_COMING;
	injected->is_there |= where == INJECT_THERE || where == INJECT_LEFT || where == INJECT_GONE;
	return 0;
}

static int look(struct injecting *all, struct err *err)
{
	int code = 0;

	for (size_t i = 0; i < all->n && !code; i++)
		if (all->injected[i].inject.was_written)
			code = look_at(all, &all->injected[i], err);
	return code;
}

static int look_again(void *ctx, struct attached *attached, struct err *err)
{
	return look(ctx, err);
}

/* Whether it is worth waiting for one: until an inference has come, and if it has, until the agent is there. */
static bool has_pending(const struct injecting *all, int waited_ms)
{
	for (size_t i = 0; i < all->n; i++) {
		const struct injected *injected = &all->injected[i];
		if (!injected->is_there && !injected->has_failed &&
		    waited_ms < (injected->is_coming ? COMING_MS : SOON_MS))
			return true;
	}
	return false;
}

static void say_pending(const struct injecting *all)
{
	for (size_t i = 0; i < all->n; i++)
		if (!all->injected[i].is_coming && !all->injected[i].is_there && !all->injected[i].has_failed)
			say_info(&all->job->opts->say, "%s (%d) is %s: recording begins with its next inference",
				 all->injected[i].name, (int)all->injected[i].inject.pid,
				 attach_find_is_stopped(all->injected[i].inject.pid)
				     ? "stopped (SIGSTOP, or a debugger)"
				     : "idle");
}

/* One of several that cannot be written to is said and left out; one that has just ended is none. */
static int write_one(struct injecting *all, struct injected *injected, struct err *err)
{
	int code = inject_write(&injected->inject, err);

	if (!code || all->n == 1)
		return code;
	if (code != -ESRCH)
		say_warning(&all->job->opts->say, "%s", err->msg);
	injected->has_failed = true;
	return 0;
}

static int go(void *ctx, struct err *err)
{
	struct timespec pause = { 0, 1000000 };
	struct injecting *all = ctx;
	int code = 0;

	for (size_t i = 0; i < all->n && !code; i++) {
		code = write_one(all, &all->injected[i], err);
		if (!code)
			code = look(all, err);
	}
	for (int waited_ms = 0; !code && has_pending(all, waited_ms); waited_ms++) {
		nanosleep(&pause, NULL);
		code = look(all, err);
	}
	if (!code)
		say_pending(all);
	return code;
}

/* All are let go before the first is waited for: together they get as long as one. */
static void leave(void *ctx)
{
	struct injecting *all = ctx;
	struct err err = { 0 };
	uint64_t until_ns;

	for (size_t i = 0; i < all->n; i++)
		inject_leave(&all->injected[i].inject);
	until_ns = clock_ns() + LEAVE_NS;
	for (size_t i = 0; i < all->n; i++)
		if (inject_wait(&all->injected[i].inject, until_ns, &err))
			say_warning(&all->job->opts->say, "%s", err.msg);
}

static int prepare(struct injecting *all, struct err *err)
{
	const struct attach_job *job = all->job;
	const struct attached *attached = job->attach->attached;
	struct inject_opts opts = { .level = level_number(job->opts->plan.level) |
					     (recorder_wants_kernels(&job->opts->plan) ? FERRY_KERNELS : 0) |
					     (job->opts->plan.graph_nodes ? FERRY_NODES : 0),
				    .ring_bytes = job->attach->ring_bytes,
				    .use_ticks = clock_is_invariant("", NULL),
				    .allows_seccomp = job->attach->allows_seccomp,
				    .until_ns = clock_ns() + EARLIER_NS };
	char agent[4096];
	int code = agent_path(agent, sizeof agent, err);

	opts.agent = agent;
	for (size_t i = 0; i < attached->n && !code; i++) {
		code = prepare_family(all, &attached->program[i], &opts, err);
		/* one of several is said and left out */
		if (code && attached->n > 1) {
			say_warning(&job->opts->say, "%s", err->msg);
			code = 0;
		}
	}
	if (!code && !all->n)
		code = err_set(err, ENOENT, "cannot inject: --inject works for none of these programs");
	return code;
}

static int record(struct injecting *all, struct err *err)
{
	struct recorder_way way = { .go = go, .leave = leave, .ctx = all, .needed = "agent" };

	for (size_t i = 0; i < all->n; i++)
		all->ring_dir[i] = all->injected[i].inject.ring_dir;
	way.target.ring_dir = all->ring_dir[0];
	way.target.more_ring_dirs = all->ring_dir + 1;
	way.target.ring_bytes = all->job->attach->ring_bytes;
	way.target.host = all->host;
	way.target.n_hosts = all->n;
	all->job->attach->attached->look = look_again;
	all->job->attach->attached->ctx = all;
	return attach_record(all->job, &way, err);
}

int attach_inject(const struct attach_job *job, struct err *err)
{
	struct injecting all = { .job = job,
				 .injected = calloc(MAX_INJECTED, sizeof *all.injected),
				 .host = calloc(MAX_INJECTED, sizeof *all.host) };
	int code = all.injected && all.host ? prepare(&all, err) : err_no_memory(err, "cannot inject");

	if (!code)
		code = record(&all, err);
	leave(&all);
	for (size_t i = 0; i < all.n; i++)
		inject_done(&all.injected[i].inject);
	free(all.host);
	free(all.injected);
	return code;
}
