// SPDX-License-Identifier: Apache-2.0
/*
 * The child calls a function of ours that comes by the probes and looks whether all is as it was (uprobe_trial_x86.c,
 * uprobe_trial_arm64.c); many times, because the kernel may turn a breakpoint into something else after the first hit.
 */
#include "capture/probe/uprobe_trial.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "capture/probe/uprobe_trial_in.h"

enum { N_CALLS = 64, N_TIMED = 300, N_ROUNDS = 9, MEMORY_BYTES = 512 << 10, LINE_BYTES = 64 };

struct place {
	uint64_t address, offset;
};

static int find_offset(struct dl_phdr_info *info, size_t size, void *ctx)
{
	struct place *place = ctx;
	uint64_t address = place->address - info->dlpi_addr;

	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		if (part->p_type == PT_LOAD && address - part->p_vaddr < part->p_memsz)
			place->offset = address - part->p_vaddr + part->p_offset;
	}
	return 1; /* ours is the first */
}

uint64_t uprobe_own_offset(const void *code)
{
	struct place place = { (uintptr_t)code, 0 };

	dl_iterate_phdr(find_offset, &place);
	return place.offset;
}

/* The child: waits for the word, tries, ends with 0 or 1. */
static _Noreturn void try_it(const int gate[2])
{
	int n_changed = 0;
	char go;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	close(gate[1]);
	if (read(gate[0], &go, 1) != 1)
		_exit(2);
	for (int i = 0; i < N_CALLS; i++)
		n_changed += uprobe_trial_function();
	_exit(n_changed ? 1 : 0);
}

static int judge(int status, struct err *err)
{
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return 0;
	if (WIFSIGNALED(status))
		return err_set(
		    err, EFAULT,
		    "refusing to attach: in a self-test, probes on this kernel killed the process (signal %d)",
		    WTERMSIG(status));
	if (WEXITSTATUS(status) == 1)
		return err_set(
		    err, EFAULT,
		    "refusing to attach: a self-test shows that uprobes on this kernel corrupt " UPROBE_TRIAL_KEPT);
	return err_set(err, ECHILD, "cannot try probes on a child of our own");
}

/* Puts probes into the waiting child, lets it try and takes them out again. */
static int try_child(pid_t child, int gate, enum uprobe_link_type type, const struct uprobe_programs *programs,
		     struct err *err)
{
	struct uprobe_site site[UPROBE_TRIAL_SITES] = { { 0 } };
	struct uprobe_place place = { "/proc/self/exe", child, site, UPROBE_TRIAL_SITES };
	struct uprobe_links links;
	int result, status = 0;

	for (int i = 0; i < UPROBE_TRIAL_SITES; i++)
		site[i].offset = uprobe_own_offset(uprobe_trial_sites[i]);
	result = uprobe_links_open(&links, type, programs, &place, err);
	if (result || write(gate, "", 1) != 1)
		kill(child, SIGKILL);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (result)
		return result;
	uprobe_links_close(&links);
	return judge(status, err);
}

int uprobe_trial(enum uprobe_link_type type, const struct uprobe_programs *programs, struct err *err)
{
	int gate[2], result;
	pid_t child;

	if (pipe2(gate, O_CLOEXEC))
		return err_set(err, errno, "cannot run the self-test of probes: %s", strerror(errno));
	child = fork();
	if (!child)
		try_it(gate);
	result = child > 0 ? try_child(child, gate[1], type, programs, err)
			   : err_set(err, errno, "cannot run the self-test of probes: %s", strerror(errno));
	close(gate[0]);
	close(gate[1]);
	return result;
}

/* Between two calls, other memory is looked at: what a trap costs depends on what it finds in the caches. */
static double time_calls(const volatile unsigned char *memory)
{
	struct timespec begin, end;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
	for (int i = 0; i < N_TIMED; i++) {
		for (size_t at = 0; at < MEMORY_BYTES; at += LINE_BYTES)
			(void)memory[at];
		uprobe_trial_function();
	}
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
	return ((double)(end.tv_sec - begin.tv_sec) * 1e9 + (double)(end.tv_nsec - begin.tv_nsec)) / N_TIMED;
}

static int by_size(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return a < b ? -1 : a > b;
}

/* The child: tells what a call takes each time that it is asked: as it mostly is here, not at best. */
static _Noreturn void time_it(const int pair[2])
{
	unsigned char *memory = calloc(1, MEMORY_BYTES);
	double ns[N_ROUNDS];
	char go;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	close(pair[0]);
	if (!memory)
		_exit(0);
	memset(memory, 1, MEMORY_BYTES);
	while (read(pair[1], &go, 1) == 1) {
		for (int i = 0; i < N_ROUNDS; i++)
			ns[i] = time_calls(memory);
		qsort(ns, N_ROUNDS, sizeof *ns, by_size);
		if (write(pair[1], &ns[N_ROUNDS / 2], sizeof *ns) != sizeof *ns)
			break;
	}
	_exit(0);
}

static double ask(int socket_)
{
	double ns = 0;

	if (write(socket_, "", 1) != 1 || read(socket_, &ns, sizeof ns) != sizeof ns)
		return 0;
	return ns;
}

double uprobe_trial_price(enum uprobe_link_type type, const struct uprobe_programs *programs)
{
	struct uprobe_site site = { .offset = uprobe_own_offset(uprobe_trial_sites[0]), .has_return = true };
	struct uprobe_place place = { "/proc/self/exe", 0, &site, 1 };
	double plain = 0, probed = 0;
	struct uprobe_links links;
	struct err ignored;
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return 0;
	place.pid = fork();
	if (!place.pid)
		time_it(pair);
	close(pair[1]);
	if (place.pid > 0) {
		plain = ask(pair[0]);
		if (!uprobe_links_open(&links, type, programs, &place, &ignored)) {
			probed = ask(pair[0]);
			uprobe_links_close(&links);
		}
	}
	close(pair[0]);
	while (place.pid > 0 && waitpid(place.pid, NULL, 0) < 0 && errno == EINTR)
		;
	return plain > 0 && probed > plain ? probed - plain : 0;
}
