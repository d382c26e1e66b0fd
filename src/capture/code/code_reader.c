// SPDX-License-Identifier: Apache-2.0
/* The child's answers are input: their sizes, numbers and texts are checked. */
#include "capture/code/code_reader.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "capture/proc/bare_child.h"
#include "capture/proc/proc.h"

enum { MOST_SECONDS = 120, MOST_PAUSES = 20 };

int code_reader_start(struct code_reader *reader, bool is_idle)
{
	int ends[2];

	if (reader->n_starts >= CODE_STARTS || !code_reader_is_built())
		return -ENOSYS;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -errno;
	reader->n_starts++;
	reader->child = fork();
	if (!reader->child) {
		prctl(PR_SET_NAME, is_idle ? "inftrace-names" : "inftrace-code");
		bare_child_become(ends[1], ends[1], MOST_SECONDS);
		/* not before it has closed what its parent has open: the last one to close probes holds up all forks */
		if (is_idle)
			sched_setscheduler(0, SCHED_IDLE, &(struct sched_param){ 0 });
		code_child(0);
		_exit(0);
	}
	close(ends[1]);
	reader->slot = ends[0] + 1;
	if (reader->child > 0)
		return 0;
	code_reader_stop(reader);
	return -EAGAIN;
}

bool code_reader_hurry(const struct code_reader *reader)
{
	return reader->child > 0 && !sched_setscheduler(reader->child, SCHED_OTHER, &(struct sched_param){ 0 });
}

uint64_t code_reader_cpu_ns(const struct code_reader *reader)
{
	struct timespec used;
	clockid_t clock;

	if (!reader->slot || clock_getcpuclockid(reader->child, &clock) || clock_gettime(clock, &used))
		return 0;
	return (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
}

bool code_reader_is_ready(const struct code_reader *reader)
{
	char text[1024];
	ssize_t got = reader->slot ? proc_read("", reader->child, "stat", text, sizeof text) : -1;
	struct proc_stat stat;

	return got > 0 && proc_stat_parse(text, (size_t)got, &stat) && stat.state == 'R';
}

int code_reader_ask(struct code_reader *reader, const struct code_question *question, int fd)
{
	struct iovec data = { (void *)question, sizeof *question };
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof fd)];
	} control = { 0 };
	struct msghdr message = { .msg_iov = &data, .msg_iovlen = 1 };

	if (!reader->slot)
		return -EPIPE;
	if (fd >= 0) {
		message.msg_control = &control;
		message.msg_controllen = sizeof control;
		control.header = (struct cmsghdr){ .cmsg_len = CMSG_LEN(sizeof fd),
						   .cmsg_level = SOL_SOCKET,
						   .cmsg_type = SCM_RIGHTS };
		memcpy(CMSG_DATA(&control.header), &fd, sizeof fd);
	}
	if (sendmsg(reader->slot - 1, &message, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)sizeof *question)
		return 0;
	return errno == EAGAIN || errno == ENOBUFS || errno == ETOOMANYREFS ? -EAGAIN : -EPIPE;
}

static bool is_text(const char *text, size_t size)
{
	const char *end = memchr(text, 0, size);

	for (; end && text < end; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			return false;
	return end != NULL;
}

static bool is_saved(const struct code_saved *saved)
{
	return saved->kind <= CODE_AT && saved->number < CODE_REGISTERS &&
	       (saved->base < CODE_REGISTERS || saved->base == CODE_CFA_BASE);
}

static bool is_rule(const struct code_rule *rule)
{
	if (rule->cfa > CODE_CFA_PLT || rule->cfa_base >= CODE_REGISTERS || rule->n_saved > CODE_SAVED ||
	    !is_saved(&rule->address))
		return false;
	for (int i = 0; i < rule->n_saved; i++)
		if (!is_saved(&rule->saved[i]))
			return false;
	return true;
}

static bool is_place(const struct code_place *place)
{
	if (place->n > CODE_INLINE || !is_text(place->build, sizeof place->build))
		return false;
	for (uint32_t i = 0; i < place->n; i++)
		if (!is_text(place->at[i].function, sizeof place->at[i].function) ||
		    !is_text(place->at[i].file, sizeof place->at[i].file))
			return false;
	return true;
}

int code_reader_answer(struct code_reader *reader, struct code_answer *answer, int wait_ms)
{
	struct pollfd ready = { .fd = reader->slot - 1, .events = POLLIN };
	ssize_t got;

	if (!reader->slot)
		return -EPIPE;
	got = recv(reader->slot - 1, answer, sizeof *answer, MSG_DONTWAIT);
	if (got < 0 && errno == EAGAIN && wait_ms && poll(&ready, 1, wait_ms) > 0)
		got = recv(reader->slot - 1, answer, sizeof *answer, MSG_DONTWAIT);
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (got != (ssize_t)sizeof *answer || answer->kind > CODE_PLACE ||
	    !(answer->kind == CODE_RULE ? is_rule(&answer->rule) : is_place(&answer->place)))
		return -EPIPE;
	return 1;
}

static bool has_ended(pid_t child)
{
	pid_t got;

	do
		got = waitpid(child, NULL, WNOHANG);
	while (got < 0 && errno == EINTR);
	return got != 0;
}

/* An idle one needs CPU time to end, too. On a busy machine it may not get that for half a minute. */
static void wait_for_ending(struct code_reader *reader)
{
	const struct timespec pause = { 0, 1000000 };

	for (int i = 0; reader->n_ending && i < MOST_PAUSES; i++) {
		uint32_t n = 0;

		if (i)
			nanosleep(&pause, NULL);
		for (uint32_t k = 0; k < reader->n_ending; k++)
			if (!has_ended(reader->ending[k]))
				reader->ending[n++] = reader->ending[k];
		reader->n_ending = n;
	}
}

void code_reader_stop(struct code_reader *reader)
{
	if (reader->slot)
		close(reader->slot - 1);
	reader->slot = 0;
	if (reader->child > 0) {
		code_reader_hurry(reader);
		kill(reader->child, SIGKILL);
		reader->ending[reader->n_ending++] = reader->child;
	}
	reader->child = 0;
	wait_for_ending(reader);
}
