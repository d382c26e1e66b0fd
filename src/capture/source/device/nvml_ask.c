// SPDX-License-Identifier: Apache-2.0
/*
 * A socket connects the two processes. Orders of one byte go one way, and end of file means to exit; messages come
 * back. Messages that are not read are dropped: neither process ever waits for the other.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/privilege.h"
#include "capture/source/device/nvml.h"

#define MS_NS UINT64_C(1000000)

enum { SOCKET = 3, MOST_FILES = 65536, END_MS = 300 };

/* Runs in the process that queries. */

static void tell(const struct nvml_message *message)
{
	ssize_t sent = send(SOCKET, message, sizeof *message, MSG_DONTWAIT | MSG_NOSIGNAL);

	/* the recorder is gone; a full socket is not a reason to exit */
	if (sent < 0 && errno != EAGAIN)
		_exit(0);
}

static void look_at(struct nvml *nvml, unsigned device)
{
	struct nvml_message message = { .device = device, .time_ns = clock_ns() };
	const struct nvml_process *processes;
	size_t n;

	message.type = NVML_LISTED;
	message.number = nvml_processes(nvml, device, &processes, &n);
	tell(&message);
	message.type = NVML_PROCESS;
	for (size_t i = 0; i < n; i++) {
		message.pid = processes[i].pid;
		message.number = processes[i].memory_bytes;
		message.other = processes[i].busy;
		tell(&message);
	}
	message.type = NVML_VALUES;
	message.time_ns = clock_ns();
	nvml_values(nvml, device, message.value);
	message.time_ns += (clock_ns() - message.time_ns) / 2;
	tell(&message);
}

static void look(struct nvml *nvml)
{
	struct nvml_message over = { .type = NVML_LOOKED, .time_ns = clock_ns() };

	for (unsigned i = 0; i < nvml_count(nvml); i++)
		look_at(nvml, i);
	over.number = (double)(clock_ns() - over.time_ns);
	tell(&over);
}

static struct nvml *begin(void)
{
	struct nvml_message message = { .type = NVML_FAILED };
	struct err err = { 0 };
	struct nvml *nvml = nvml_open(&err);
	int minor;

	if (!nvml || !nvml_count(nvml)) {
		snprintf(message.text, sizeof message.text, "%.215s",
			 nvml ? "cannot query NVIDIA's driver: it reports no GPU" : err.msg);
		tell(&message);
		return NULL;
	}
	message.type = NVML_DEVICE;
	for (message.device = 0; message.device < nvml_count(nvml); message.device++) {
		nvml_describe(nvml, message.device, message.text, sizeof message.text, &minor);
		message.number = minor;
		tell(&message);
	}
	return nvml;
}

/* Keeps only the socket of the recorder's descriptors, and ignores signals, which the recorder handles. */
static void prepare(int socket)
{
	static const int deadly[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT };
	int nothing = open("/dev/null", O_RDWR);

	for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++)
		signal(deadly[i], SIG_DFL);
	prctl(PR_SET_NAME, "inftrace-nvml");
	privilege_drop();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (int fd = 0; fd < 3 && nothing >= 0; fd++)
		dup2(nothing, fd);
	dup2(socket, SOCKET);
	if (syscall(SYS_close_range, SOCKET + 1, ~0u, 0))
		for (int fd = SOCKET + 1; fd < MOST_FILES; fd++)
			close(fd);
}

_Noreturn static void serve(uint64_t interval_ns)
{
	struct pollfd poller = { SOCKET, POLLIN, 0 };
	struct nvml *nvml = NULL;
	uint64_t now_ns;
	char order;

	for (;;) {
		now_ns = clock_ns();
		/* a millisecond after the grid, when the other sources are done */
		int ms = nvml ? (int)((interval_ns - now_ns % interval_ns) / MS_NS) + 1 : -1;
		if (poll(&poller, 1, ms) > 0 && recv(SOCKET, &order, 1, 0) != 1)
			break;
		if (!nvml)
			nvml = begin();
		if (!nvml)
			break;
		look(nvml);
	}
	/* the driver cleans up after a process that exits; the library may hang while cleaning up */
	_exit(0);
}

/* Runs in the recorder. */

int nvml_ask_start(struct nvml_ask *ask, uint64_t interval_ns, struct err *err)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return err_set(err, errno, "cannot query NVIDIA's driver: cannot open a socket: %s", strerror(errno));
	ask->pid = fork();
	if (!ask->pid) {
		prepare(ends[1]);
		serve(interval_ns);
	}
	if (ask->pid < 0) {
		err_set(err, errno, "cannot query NVIDIA's driver: cannot start a process: %s", strerror(errno));
		ask->pid = 0;
	}
	close(ends[1]);
	if (ask->pid)
		ask->socket = ends[0] + 1;
	else
		close(ends[0]);
	return ask->pid ? 0 : -err->code;
}

/* If the process has exited, reading its messages shows it. */
static void order(struct nvml_ask *ask)
{
	if (ask->socket)
		send(ask->socket - 1, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
	ask->has_begun = true;
}

void nvml_ask_begin(struct nvml_ask *ask)
{
	if (!ask->has_begun)
		order(ask);
}

void nvml_ask_now(struct nvml_ask *ask)
{
	if (ask->has_begun)
		order(ask);
}

bool nvml_ask_next(struct nvml_ask *ask, struct nvml_message *message, int timeout_ms)
{
	struct pollfd poller = { ask->socket - 1, POLLIN, 0 };
	ssize_t got;

	if (!ask->socket || ask->has_ended)
		return false;
	got = recv(ask->socket - 1, message, sizeof *message, MSG_DONTWAIT);
	if (got < 0 && errno == EAGAIN && timeout_ms > 0 && poll(&poller, 1, timeout_ms) > 0)
		got = recv(ask->socket - 1, message, sizeof *message, MSG_DONTWAIT);
	if (got == sizeof *message) {
		message->text[sizeof message->text - 1] = 0;
		return true;
	}
	ask->has_ended = got >= 0 || errno != EAGAIN;
	return false;
}

void nvml_ask_reason(struct nvml_ask *ask, char *text, size_t size)
{
	int status = 0;

	if (ask->pid && waitpid(ask->pid, &status, 0) == ask->pid)
		ask->pid = 0;
	if (WIFSIGNALED(status))
		snprintf(text, size, "NVIDIA's library was killed by signal %d (%s)", WTERMSIG(status),
			 strsignal(WTERMSIG(status)));
	else
		snprintf(text, size, "NVIDIA's library has ended its process");
}

static void wait_for_end(struct nvml_ask *ask, int most_ms)
{
	for (int ms = 0; ask->pid && ms < most_ms; ms++) {
		if (waitpid(ask->pid, NULL, WNOHANG))
			ask->pid = 0;
		else
			usleep(1000);
	}
}

/* Gives it a moment to exit by itself: a call into the driver should not be interrupted. */
void nvml_ask_stop(struct nvml_ask *ask)
{
	if (ask->socket)
		close(ask->socket - 1);
	wait_for_end(ask, END_MS);
	/* a process that hangs inside the kernel cannot be killed; do not wait for it */
	if (ask->pid)
		kill(ask->pid, SIGKILL);
	wait_for_end(ask, END_MS);
	*ask = (struct nvml_ask){ 0 };
}
