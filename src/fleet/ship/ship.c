// SPDX-License-Identifier: Apache-2.0
/* The first text of a child is empty: the door is open; or says why it is not. */
#include "fleet/ship/ship.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fleet/door/channel.h"
#include "fleet/ship/confine.h"

enum { CHANNEL = 3, OPEN_MS = 20000, END_MS = 5000, STEP_MS = 10 };

/* What the child says of its start. */
struct start {
	int code;
	char text[DOOR_MESSAGE];
};

/* Keeps the channel and the standard streams. Signals of the terminal, and of a service manager, are for the watcher.
 */
static void prepare(const struct door *door, int channel)
{
	static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGPIPE, SIGXFSZ };
	char name[16];
	sigset_t none;

	sigemptyset(&none);
	for (int signo = 1; signo < NSIG; signo++)
		signal(signo, SIG_DFL);
	for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
		signal(ignored[i], SIG_IGN);
	sigprocmask(SIG_SETMASK, &none, NULL);
	snprintf(name, sizeof name, "inftrace-%.6s", door->name);
	prctl(PR_SET_NAME, name);
	dup2(channel, CHANNEL);
	syscall(SYS_close_range, CHANNEL + 1, ~0u, 0);
	fcntl(CHANNEL, F_SETFD, FD_CLOEXEC);
}

/* A folder that is not there is made; where that fails, the spool says why it cannot be used. */
static const char *spool_path(const struct ship_opts *opts)
{
	char *path = NULL;

	if (!opts->door->has_spool || !opts->spool.folder)
		return NULL;
	mkdir(opts->spool.folder, 0700);
	return asprintf(&path, "%s/%s.spool", opts->spool.folder, opts->door->name) < 0 ? NULL : path;
}

_Noreturn static void run(const struct ship *ship, const struct ship_opts *opts, int channel)
{
	const struct door *door = opts->door;
	struct door_child child = { .opts = opts->opts, .channel = CHANNEL, .counts = ship->counts };
	struct start start = { 0 };
	struct err err = { 0 };
	int code;

	prepare(door, channel);
	umask(077);
	child.spool_path = spool_path(opts);
	child.spool_bytes = opts->spool.most_bytes;
	code = door->open(&child, &err);
	if (!code)
		code = confine(!door->keeps_user, &err);
	start.code = -code;
	snprintf(start.text, sizeof start.text, "%s", code ? err.msg : "");
	send(CHANNEL, &start, sizeof start, MSG_NOSIGNAL);
	if (!code)
		door->serve(&child);
	_exit(0);
}

static int wait_open(const struct ship *ship, struct err *err)
{
	struct pollfd poller = { ship->channel, POLLIN, 0 };
	struct start start = { 0 };

	if (poll(&poller, 1, OPEN_MS) <= 0)
		return err_set(err, ETIMEDOUT, "cannot open the door %s: it does not answer", ship->door->name);
	if (recv(ship->channel, &start, sizeof start, MSG_DONTWAIT) != sizeof start)
		return err_set(err, EPIPE, "cannot open the door %s: its process has ended", ship->door->name);
	start.text[sizeof start.text - 1] = 0;
	return start.code ? err_set(err, start.code, "%s", start.text) : 0;
}

int ship_start(struct ship *ship, const struct ship_opts *opts, struct err *err)
{
	const struct door *door = opts->door;
	int ends[2], code;

	*ship = (struct ship){ .door = door, .channel = -1 };
	ship->counts = mmap(NULL, sizeof *ship->counts, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (ship->counts == MAP_FAILED) {
		ship->counts = NULL;
		return err_set(err, errno, "cannot open the door %s: %s", door->name, strerror(errno));
	}
	code = channel_open(ends, err);
	if (code)
		return code;
	ship->pid = fork();
	if (!ship->pid)
		run(ship, opts, ends[1]);
	close(ends[1]);
	ship->channel = ends[0];
	if (ship->pid < 0) {
		ship->pid = 0;
		code = err_set(err, errno, "cannot open the door %s: %s", door->name, strerror(errno));
	} else {
		code = wait_open(ship, err);
	}
	if (code)
		ship_end(ship);
	return code;
}

void ship_send(struct ship *ship, const struct door_in *in)
{
	struct door_batch head = { .number = ++ship->number, .n_dropped_before = ship->n_dropped_before };
	int file = ship->channel < 0 ? -1 : channel_make(ship->door, in, &head), code;

	code = file < 0 ? -ENOMEM : channel_send(ship->channel, file);
	if (code) {
		ship->n_dropped++;
		ship->n_dropped_before++;
		return;
	}
	ship->n_sent++;
	ship->n_dropped_before = 0;
}

struct ship_counts ship_counts(const struct ship *ship)
{
	const struct door_counts *counts = ship->counts;
	struct ship_counts now = { .n_sent = ship->n_sent, .n_dropped = ship->n_dropped };

	if (!counts || !ship->door->has_spool)
		return now;
	now.n_sent = __atomic_load_n(&counts->n_sent, __ATOMIC_RELAXED);
	now.n_dropped += __atomic_load_n(&counts->n_dropped, __ATOMIC_RELAXED);
	now.n_waiting = __atomic_load_n(&counts->n_waiting, __ATOMIC_RELAXED);
	now.spool_bytes = __atomic_load_n(&counts->spool_bytes, __ATOMIC_RELAXED);
	now.is_on_disk = __atomic_load_n(&counts->is_on_disk, __ATOMIC_RELAXED);
	return now;
}

bool ship_read_text(struct ship *ship, char *text, size_t size)
{
	bool is_over = false;

	if (ship->channel < 0)
		return false;
	if (channel_read_text(ship->channel, text, size, &is_over))
		return true;
	if (!is_over)
		return false;
	close(ship->channel);
	ship->channel = -1;
	snprintf(text, size, "the process of the door %s has ended; nothing goes through it any more",
		 ship->door->name);
	return true;
}

void ship_end(struct ship *ship)
{
	const struct timespec step = { 0, STEP_MS * 1000000 };

	if (!ship->door)
		return;
	if (ship->channel >= 0)
		close(ship->channel);
	ship->channel = -1;
	for (int ms = 0; ship->pid > 0; ms += STEP_MS) {
		pid_t got = waitpid(ship->pid, NULL, WNOHANG);

		if (got == ship->pid || (got < 0 && errno != EINTR))
			break;
		if (ms >= END_MS)
			kill(ship->pid, SIGKILL);
		nanosleep(&step, NULL);
	}
	ship->pid = 0;
}
