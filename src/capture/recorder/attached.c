// SPDX-License-Identifier: Apache-2.0
/*
 * A pidfd keeps a process's number from meaning another one unnoticed: it is opened first, and the start time read
 * behind it. Its end is seen by polling; how it ended is asked of the pidfd, for only a parent can wait.
 */
#include "capture/recorder/attached.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/array.h"
#include "capture/proc/proc.h"
#include "capture/proc/process_end.h"

enum { TRIES = 10, AT_ONCE = 64 };

int attached_init(struct attached *attached, struct err *err)
{
	*attached = (struct attached){ .fd = epoll_create1(EPOLL_CLOEXEC) };
	return attached->fd < 0 ? err_set(err, errno, "cannot wait for programs: %s", strerror(errno)) : 0;
}

int attached_watch(struct attached *attached, int other, struct err *err)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = other };

	if (epoll_ctl(attached->fd, EPOLL_CTL_ADD, other, &event))
		return err_set(err, errno, "cannot wait for programs: %s", strerror(errno));
	return 0;
}

static bool has_ended(int pidfd)
{
	struct pollfd poller = { pidfd, POLLIN, 0 };

	return poll(&poller, 1, 0) == 1;
}

/* The start time of a process that lives. */
static int read_start(pid_t pid, uint64_t *start_ticks)
{
	struct proc_stat stat;
	char text[1024];
	ssize_t got = proc_read("", pid, "stat", text, sizeof text);

	if (got < 0)
		return (int)got;
	if (!proc_stat_parse(text, (size_t)got, &stat))
		return -EPROTO;
	*start_ticks = stat.start_ticks;
	return proc_is_zombie(&stat) ? -ESRCH : 0;
}

static int open_program(struct attached_program *program, pid_t pid, uint64_t start_ticks, struct err *err)
{
	int code;

	*program = (struct attached_program){ .pid = pid, .pidfd = (int)syscall(SYS_pidfd_open, pid, 0) };
	if (program->pidfd < 0 && (errno == ESRCH || errno == EINVAL))
		return err_set(err, ESRCH, "cannot attach to process %d: it has ended", (int)pid);
	if (program->pidfd < 0)
		return err_set(err, errno, "cannot attach to process %d: %s", (int)pid, strerror(errno));
	code = read_start(pid, &program->start_ticks);
	if (code == -ESRCH || has_ended(program->pidfd))
		code = err_set(err, ESRCH, "cannot attach to process %d: it has ended", (int)pid);
	else if (code)
		code = err_set(err, -code, "cannot read /proc/%d/stat: %s", (int)pid, strerror(-code));
	else if (start_ticks && program->start_ticks != start_ticks)
		code = err_set(err, ESRCH, "cannot attach: process %d has ended and its PID has been reused", (int)pid);
	if (code)
		close(program->pidfd);
	return code;
}

int attached_add(struct attached *attached, pid_t pid, uint64_t start_ticks, struct err *err)
{
	struct attached_program program;
	int code = open_program(&program, pid, start_ticks, err);

	for (size_t i = 0; i < attached->n && !code; i++) {
		if (attached->program[i].pid == pid && attached->program[i].start_ticks == program.start_ticks) {
			close(program.pidfd);
			return 0;
		}
	}
	if (code)
		return code;
	if (!ARRAY_ROOM(attached->program, attached->capacity, attached->n + 1)) {
		close(program.pidfd);
		return err_set(err, ENOMEM, "cannot attach to process %d: out of memory", (int)pid);
	}
	code = attached_watch(attached, program.pidfd, err);
	if (code)
		close(program.pidfd);
	else
		attached->program[attached->n++] = program;
	return code;
}

bool attached_lives(const struct attached *attached, pid_t pid, uint64_t start_ticks)
{
	for (size_t i = 0; i < attached->n; i++)
		if (attached->program[i].pid == pid && attached->program[i].start_ticks == start_ticks)
			return !has_ended(attached->program[i].pidfd);
	return false;
}

static size_t find(const struct attached *attached, int pidfd)
{
	size_t at = 0;

	while (at < attached->n && attached->program[at].pidfd != pidfd)
		at++;
	return at;
}

/* One that has ended; n: none has. A look at each would be dear where many are watched. */
static size_t find_ended(const struct attached *attached)
{
	struct epoll_event events[AT_ONCE];
	int n_ready = epoll_wait(attached->fd, events, AT_ONCE, 0);
	size_t at = attached->n;

	for (int i = 0; i < n_ready && at == attached->n; i++)
		at = find(attached, events[i].data.fd);
	return at;
}

bool attached_next_ended(struct attached *attached, struct attached_end *end)
{
	size_t at = find_ended(attached);
	struct attached_program *program;

	if (at == attached->n)
		return false;
	program = &attached->program[at];
	*end = (struct attached_end){ .pid = program->pid };
	end->is_known = process_end(program->pidfd, TRIES, &end->wait_status);
	/* a child that was forked meanwhile may hold the same one, which then stays among those waited for */
	epoll_ctl(attached->fd, EPOLL_CTL_DEL, program->pidfd, NULL);
	close(program->pidfd);
	memmove(program, program + 1, (--attached->n - at) * sizeof *program);
	return true;
}

void attached_done(struct attached *attached)
{
	for (size_t i = 0; i < attached->n; i++)
		close(attached->program[i].pidfd);
	free(attached->program);
	if (attached->fd > 0)
		close(attached->fd);
	*attached = (struct attached){ 0 };
}
