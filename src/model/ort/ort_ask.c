// SPDX-License-Identifier: Apache-2.0
/* Queries one copy of ONNX Runtime in a child process, which answers through a pipe. */
#include "model/ort/ort_ask.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/privilege.h"
#include "model/ort/ort_api.h"

enum { MOST_TIMES = 10 };

/* The reply in the pipe; valid only if complete. */
struct reply {
	struct err err;
	struct ort_answer answer;
};

static int list_providers(const struct ort_api *api, struct ort_answer *answer, struct err *err)
{
	char **name = NULL;
	int n = 0, rc;

	rc = ort_api_check(api, api->available_providers(&name, &n), err, "list the providers");
	if (rc)
		return rc;
	for (int i = 0; i < n && answer->n_providers < ORT_ASK_PROVIDERS; i++)
		snprintf(answer->provider[answer->n_providers++], ORT_ASK_NAME, "%s", name[i]);
	return 0;
}

static void answer_and_end(const char *path, int to) __attribute__((noreturn));
static void answer_and_end(const char *path, int to)
{
	static struct ort_api api;
	static struct reply reply;
	struct rlimit no_core = { 0, 0 };
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	privilege_drop();
	setrlimit(RLIMIT_CORE, &no_core);
	if (null >= 0) {
		dup2(null, 0);
		dup2(null, 1);
		dup2(null, 2);
	}
	setenv("ORT_DISABLE_TELEMETRY", "1", 1);
	if (!ort_api_open(&api, path, &reply.err)) {
		snprintf(reply.answer.version, sizeof reply.answer.version, "%s", api.version);
		list_providers(&api, &reply.answer, &reply.err);
	}
	_exit(write(to, &reply, sizeof reply) == sizeof reply ? 0 : 1);
}

/* For how long it had work and no CPU; 0: not known. */
static uint64_t waited_ns(pid_t child)
{
	unsigned long long ran_ns, waited_ns = 0;
	char path[64];
	FILE *file;

	snprintf(path, sizeof path, "/proc/%d/schedstat", (int)child);
	file = fopen(path, "re");
	if (file && fscanf(file, "%llu %llu", &ran_ns, &waited_ns) != 2)
		waited_ns = 0;
	if (file)
		fclose(file);
	return waited_ns;
}

/*
 * Reads the reply until the end of the pipe or the timeout; returns its bytes. On a busy machine the child gets as much
 * more time as it waits for a CPU, up to MOST_TIMES in all.
 */
static size_t read_reply(int from, pid_t child, unsigned timeout_ms, struct reply *reply)
{
	uint64_t timeout_ns = (uint64_t)timeout_ms * 1000000u, begin_ns = clock_ns(), end_ns = begin_ns + timeout_ns;
	size_t got = 0;

	while (got < sizeof *reply) {
		struct pollfd ready = { .fd = from, .events = POLLIN };
		uint64_t now_ns = clock_ns(), more_ns = now_ns < end_ns ? 0 : waited_ns(child);
		ssize_t n;

		if (now_ns >= end_ns && begin_ns + timeout_ns + more_ns > end_ns)
			end_ns = begin_ns + timeout_ns + more_ns;
		if (now_ns >= end_ns || now_ns - begin_ns >= MOST_TIMES * timeout_ns)
			return got;
		if (poll(&ready, 1, (int)((end_ns - now_ns) / 1000000u) + 1) == 0)
			continue;
		n = read(from, (char *)reply + got, sizeof *reply - got);
		if (n == 0 || (n < 0 && errno != EINTR))
			return got;
		got += n > 0 ? (size_t)n : 0;
	}
	return got;
}

static int why_silent(const char *path, unsigned timeout_ms, int status, struct err *err)
{
	if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL)
		return err_set(err, EIO, "cannot use %s: loading it kills the process by signal %d (%s)", path,
			       WTERMSIG(status), strsignal(WTERMSIG(status)));
	if (WIFSIGNALED(status))
		return err_set(err, ETIMEDOUT, "cannot use %s: loading it timed out after %u s", path,
			       timeout_ms / 1000);
	return err_set(err, EIO, "cannot use %s: loading it exits the process with status %d", path,
		       WEXITSTATUS(status));
}

int ort_ask(const char *path, unsigned timeout_ms, struct ort_answer *answer, struct err *err)
{
	static struct reply reply;
	int ends[2], status = 0;
	size_t got;
	pid_t child;

	memset(&reply, 0, sizeof reply);
	memset(answer, 0, sizeof *answer);
	if (pipe2(ends, O_CLOEXEC))
		return err_set(err, errno, "cannot query %s: %s", path, strerror(errno));
	child = fork();
	if (child < 0) {
		close(ends[0]);
		close(ends[1]);
		return err_set(err, errno, "cannot query %s: %s", path, strerror(errno));
	}
	if (!child)
		answer_and_end(path, ends[1]);
	close(ends[1]);
	got = read_reply(ends[0], child, timeout_ms, &reply);
	close(ends[0]);
	if (got < sizeof reply)
		kill(child, SIGKILL);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (got < sizeof reply)
		return why_silent(path, timeout_ms, status, err);
	if (reply.err.code) {
		if (err)
			*err = reply.err;
		return -reply.err.code;
	}
	*answer = reply.answer;
	return 0;
}
