// SPDX-License-Identifier: Apache-2.0
/*
 * The child has the file, a pipe and nothing else: other descriptors closed, no capabilities, another user if possible,
 * no_new_privs, limits on memory and time. It writes { result, error, sites } and ends with _exit. The parent accepts
 * the answer only if its sizes and numbers are valid: the child has read hostile bytes.
 */
#include "capture/proc/file_look.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "capture/proc/bare_child.h"

/* MAX_SECONDS: of CPU time, and without any; LONGEST_SECONDS: of one that waits for a CPU. */
enum { MAX_SECONDS = 10, LONGEST_SECONDS = 120, MAX_SITES = 1 << 14 };

struct answer {
	int32_t result;
	struct err err;
	struct probe_sites sites;
};

static bool write_all(int fd, const void *data, size_t size)
{
	const char *at = data;

	while (size) {
		ssize_t put = write(fd, at, size);
		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return false;
		at += put;
		size -= (size_t)put;
	}
	return true;
}

__attribute__((noreturn)) static void work(const char *name, const struct probe_sites *host)
{
	struct answer answer = { 0 };
	struct image_file file;

	answer.result = image_file_open(&file, 0, name, &answer.err);
	if (!answer.result)
		answer.result = probe_sites_find(&answer.sites, &file, host, &answer.err);
	err_disarm(answer.err.msg); /* a file's folder may have any name, and the parent accepts only text */
	if (write_all(1, &answer, sizeof answer))
		write_all(1, answer.sites.site, answer.sites.n * sizeof *answer.sites.site);
	_exit(0);
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* The child, and until when it is waited for. */
struct child {
	pid_t pid;
	int from; /* the read end of its pipe */
	int64_t until_ms, longest_ms, cpu_ns;
};

static int64_t cpu_ns_of(pid_t pid)
{
	struct timespec used;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &used))
		return 0;
	return (int64_t)used.tv_sec * 1000000000 + used.tv_nsec;
}

/* Its time is over. On a busy machine, or under a quota, it may have had little of it: then it gets more. */
static bool gets_more(struct child *child)
{
	int64_t cpu_ns = cpu_ns_of(child->pid);
	bool has_moved = cpu_ns > child->cpu_ns && now_ms() < child->longest_ms;

	child->cpu_ns = cpu_ns;
	if (has_moved)
		child->until_ms = now_ms() + MAX_SECONDS * 1000;
	return has_moved;
}

/* 0, or -ETIME, or -EPIPE: the child wrote no more. */
static int read_all(struct child *child, void *data, size_t size)
{
	char *at = data;

	while (size) {
		struct pollfd ready = { .fd = child->from, .events = POLLIN };
		int64_t left = child->until_ms - now_ms();
		ssize_t got;
		if (left <= 0 && !gets_more(child))
			return -ETIME;
		if (poll(&ready, 1, left > 0 ? (int)left : 0) <= 0)
			continue;
		got = read(child->from, at, size);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return -EPIPE;
		at += got;
		size -= (size_t)got;
	}
	return 0;
}

static bool is_text(const char *text, size_t size)
{
	const char *end = memchr(text, 0, size);

	for (; end && text < end; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			return false;
	return end != NULL;
}

static bool makes_sense(const struct answer *answer)
{
	const struct probe_sites *sites = &answer->sites;
	uint32_t n_runtimes = 0;

	while (runtimes[n_runtimes])
		n_runtimes++;
	if (answer->result > 0 || sites->runtime >= n_runtimes || sites->n > MAX_SITES || sites->first[0] ||
	    sites->first[N_SITE_KINDS] != sites->n)
		return false;
	for (int i = 0; i < N_SITE_KINDS; i++)
		if (sites->first[i] > sites->first[i + 1])
			return false;
	return is_text(answer->err.msg, sizeof answer->err.msg) && is_text(sites->version, sizeof sites->version) &&
	       is_text(sites->build_id, sizeof sites->build_id) && is_text(sites->left_out, sizeof sites->left_out);
}

/* Each site has the kind of its part of the list, and lies in the file. */
static bool sites_make_sense(const struct probe_sites *sites, uint64_t size)
{
	for (uint32_t kind = 0; kind < N_SITE_KINDS; kind++)
		for (uint32_t i = sites->first[kind]; i < sites->first[kind + 1]; i++)
			if (sites->site[i].kind != kind || sites->site[i].index != i - sites->first[kind] ||
			    sites->site[i].offset >= size)
				return false;
	return true;
}

/* Reads the child's answer; -EPIPE: it died, or the answer is invalid. */
static int take_answer(struct child *child, struct probe_sites *sites, uint64_t size, struct err *err)
{
	struct answer answer;
	int failed = read_all(child, &answer, sizeof answer);

	if (failed)
		return failed;
	answer.sites.site = NULL;
	if (!makes_sense(&answer))
		return -EPIPE;
	*sites = answer.sites;
	if (sites->n) {
		sites->site = malloc(sites->n * sizeof *sites->site);
		if (!sites->site)
			return -ENOMEM;
		failed = read_all(child, sites->site, sites->n * sizeof *sites->site);
		if (failed || !sites_make_sense(sites, size))
			return failed ? failed : -EPIPE;
	}
	return answer.result ? err_set(err, -answer.result, "%s", answer.err.msg) : 0;
}

static int explain(int status, int failed, const char *name, struct err *err)
{
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
		return err_set(err, ETIME, "cannot analyse %s: timed out after %d seconds", name, MAX_SECONDS);
	if (failed == -ETIME)
		return err_set(err, ETIME, "cannot analyse %s: timed out: it has got no CPU for %d seconds, or no data",
			       name, MAX_SECONDS);
	if (failed == -ENOMEM)
		return err_set(err, ENOMEM, "cannot analyse %s: out of memory", name);
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS)
		return err_set(err, EIO, "cannot analyse %s: it was truncated while it was being read", name);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 1)
		return err_set(err, EPERM,
			       "cannot analyse %s: the process that reads it could not drop its privileges; check for "
			       "a seccomp filter or a limit on open files",
			       name);
	if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL) /* which is ours */
		return err_set(err, EIO, "cannot analyse %s: the process that read it was killed by signal %d", name,
			       WTERMSIG(status));
	return err_set(err, EIO, "cannot analyse %s: the process that read it gave no result", name);
}

/* Starts the child. 0 in the child, with rights dropped; 1 in the parent; -errno and err. */
static int start(struct child *to, int fd, const char *name, struct err *err)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return err_set(err, errno, "cannot analyse %s: %s", name, strerror(errno));
	*to = (struct child){ .pid = fork(),
			      .from = ends[0],
			      .until_ms = now_ms() + MAX_SECONDS * 1000,
			      .longest_ms = now_ms() + LONGEST_SECONDS * 1000 };
	if (!to->pid) {
		bare_child_become(fd, ends[1], MAX_SECONDS);
		return 0;
	}
	if (to->pid < 0)
		err_set(err, errno, "cannot analyse %s: %s", name, strerror(errno));
	close(ends[1]);
	if (to->pid > 0)
		return 1;
	close(ends[0]);
	return -err->code;
}

/* Kills the child, which is not trusted to end by itself; returns its status. */
static int finish(const struct child *child)
{
	int status = 0;

	close(child->from);
	kill(child->pid, SIGKILL);
	while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

int file_look_sites(struct probe_sites *sites, int fd, const char *name, const struct probe_sites *host,
		    struct err *err)
{
	int failed, status, started;
	struct child child;
	struct stat stat_;

	memset(sites, 0, sizeof *sites);
	if (fstat(fd, &stat_))
		return err_set(err, errno, "cannot analyse %s: %s", name, strerror(errno));
	started = start(&child, fd, name, err);
	if (started < 0)
		return started;
	if (!started)
		work(name, host);
	if (err)
		err->code = 0;
	failed = take_answer(&child, sites, (uint64_t)stat_.st_size, err);
	status = finish(&child);
	if (failed == -EPIPE || failed == -ETIME || (failed == -ENOMEM && !sites->site))
		failed = explain(status, failed, name, err);
	return failed;
}

__attribute__((noreturn)) static void look_and_leave(file_look_fn *look, void *result, size_t size, const char *name)
{
	struct err err = { 0 };
	struct image_file file;
	int32_t failed = image_file_open(&file, 0, name, &err);

	if (!failed)
		failed = look(&file, result, &err);
	err_disarm(err.msg);
	if (write_all(1, &failed, sizeof failed) && write_all(1, &err, sizeof err))
		write_all(1, result, size);
	_exit(0);
}

int file_look_at(file_look_fn *look, void *result, size_t size, int fd, const char *name, struct err *err)
{
	int32_t refused = 0;
	struct err said = { 0 };
	struct child child;
	int failed, status, started = start(&child, fd, name, err);

	if (started < 0)
		return started;
	if (!started)
		look_and_leave(look, result, size, name);
	failed = read_all(&child, &refused, sizeof refused);
	if (!failed)
		failed = read_all(&child, &said, sizeof said);
	if (!failed)
		failed = read_all(&child, result, size);
	if (!failed && (refused > 0 || !is_text(said.msg, sizeof said.msg)))
		failed = -EPIPE;
	status = finish(&child);
	if (failed)
		return explain(status, failed, name, err);
	return refused ? err_set(err, -refused, "%s", said.msg) : 0;
}
