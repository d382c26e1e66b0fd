// SPDX-License-Identifier: Apache-2.0
/* Our end of the socket to the process that watches (next_watch.c). */
#include "capture/probe/next/next.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "capture/probe/next/next_in.h"
#include "capture/proc/proc.h"

struct next {
	pid_t child;
	int socket;
	uint64_t n_lost;
};

/* What the child says first. */
static int take_begin(const struct next *next, struct err *err)
{
	struct err begin;
	ssize_t got;

	do
		got = recv(next->socket, &begin, sizeof begin, 0);
	while (got < 0 && errno == EINTR);
	if (got != sizeof begin)
		return err_set(err, EPIPE, "cannot watch for new programs: the watching process has ended");
	if (begin.code)
		*err = begin;
	return -begin.code;
}

static int start(struct next *next, bool spares, struct err *err)
{
	pid_t parent = getpid();
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return err_set(err, errno, "cannot watch what processes map: %s", strerror(errno));
	next->socket = ends[0];
	next->child = fork();
	if (!next->child) {
		close(ends[0]);
		next_watch(ends[1], parent, spares);
	}
	close(ends[1]);
	if (next->child < 0)
		return err_set(err, errno, "cannot watch what processes map: %s", strerror(errno));
	return take_begin(next, err);
}

struct next *next_open(bool spares, struct err *err)
{
	struct next *next = calloc(1, sizeof *next);

	if (!next) {
		err_no_memory(err, "cannot watch for new programs");
		return NULL;
	}
	next->socket = -1;
	next->child = -1;
	if (start(next, spares, err)) {
		next_close(next);
		return NULL;
	}
	return next;
}

int next_fd(const struct next *next)
{
	return next->socket;
}

static uint64_t start_ticks(pid_t pid)
{
	struct proc_stat stat_;
	char text[1024];
	ssize_t got = proc_read("", pid, "stat", text, sizeof text);

	return got > 0 && proc_stat_parse(text, (size_t)got, &stat_) ? stat_.start_ticks : 0;
}

static void describe(struct next_program *program, struct next_found *found)
{
	found->why[sizeof found->why - 1] = found->path[sizeof found->path - 1] = 0;
	*program = (struct next_program){ .pid = found->pid,
					  .start_ticks = start_ticks(found->pid),
					  .is_held = found->hold != NEXT_NOT,
					  .is_late = found->hold == NEXT_LATE,
					  .mapped_ns = found->mapped_ns,
					  .held_ns = found->held_ns };
	memcpy(program->path, found->path, sizeof program->path);
	if (!program->is_held)
		memcpy(program->why_not, found->why, sizeof program->why_not);
	else if (program->is_late)
		snprintf(
		    program->why_not, sizeof program->why_not,
		    "it could only be stopped %.1f ms after it had loaded the runtime, and may have used it by then",
		    (double)(found->held_ns - found->mapped_ns) / 1e6);
}

int next_take(struct next *next, bool (*wants)(void *ctx, pid_t pid), void *ctx, struct next_program *program,
	      struct err *err)
{
	struct next_found found;

	for (;;) {
		ssize_t got = recv(next->socket, &found, sizeof found, MSG_DONTWAIT);
		if (got < 0 && (errno == EAGAIN || errno == EINTR))
			return 0;
		if (got != sizeof found)
			return err_set(err, EPIPE,
				       "cannot watch for new programs any longer: the watching process has ended");
		if (!found.pid) {
			next->n_lost = found.mapped_ns;
			continue;
		}
		describe(program, &found);
		if (!wants || wants(ctx, found.pid))
			return 1;
		next_release(next, found.pid);
	}
}

uint64_t next_lost(const struct next *next)
{
	return next->n_lost;
}

void next_release(struct next *next, pid_t pid)
{
	send(next->socket, &pid, sizeof pid, MSG_NOSIGNAL);
}

/* A thread of it may be stuck in a file for ever; what it held goes on all the same. */
static void await_end(pid_t child)
{
	const struct timespec pause = { 0, 1000000 };
	const uint64_t until_ns = clock_ns() + 2000000000u;
	pid_t ended;

	while (((ended = waitpid(child, NULL, WNOHANG)) == 0 || (ended < 0 && errno == EINTR)) && clock_ns() < until_ns)
		nanosleep(&pause, NULL);
}

void next_close(struct next *next)
{
	if (!next)
		return;
	if (next->socket >= 0)
		close(next->socket);
	if (next->child > 0)
		await_end(next->child);
	free(next);
}
