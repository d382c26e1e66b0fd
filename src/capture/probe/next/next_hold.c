// SPDX-License-Identifier: Apache-2.0
/*
 * PTRACE_SEIZE and PTRACE_INTERRUPT send no signal. A signal that arrives in the same moment may stop the thread first:
 * it is given to it when it goes on.
 */
#include <elf.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>

#include "capture/probe/next/next_in.h"
#include "capture/probe/next/next_registers.h"
#include "capture/proc/proc.h"
#include "capture/proc/rights.h"

/* The thread that traces it; 0: none does, or it is not known here. */
static pid_t tracer_of(pid_t tid)
{
	char status[4096];
	uint64_t tracer;
	ssize_t got = proc_read("", tid, "status", status, sizeof status);

	return got > 0 && proc_field(status, (size_t)got, "TracerPid", &tracer) && tracer <= INT32_MAX ? (pid_t)tracer
												       : 0;
}

static bool is_inftrace(pid_t tracer)
{
	char name[32];
	ssize_t got = proc_read("", tracer, "comm", name, sizeof name);

	/* one that is gone has let go what it held */
	return got == -ESRCH ||
	       (got == sizeof NEXT_HOLD_NAME && !memcmp(name, NEXT_HOLD_NAME "\n", sizeof NEXT_HOLD_NAME));
}

/* 0; EBUSY: another inftrace has it. Who had it may have let it go before it could be asked who that was. */
static int seize(pid_t tid)
{
	enum { TRIES = 3 };
	pid_t tracer = 0;
	int code;

	for (int i = 0; i < TRIES && !tracer; i++) {
		if (!ptrace(PTRACE_SEIZE, tid, 0, 0))
			return 0;
		code = errno;
		if (code != EPERM)
			return code;
		tracer = tracer_of(tid);
	}
	return tracer && is_inftrace(tracer) ? EBUSY : EPERM;
}

int next_hold_begin(pid_t tid, struct err *err)
{
	char why[RIGHTS_WHY];
	int code = seize(tid);

	if (!code && ptrace(PTRACE_INTERRUPT, tid, 0, 0))
		code = errno;
	if (!code)
		return 0;
	if (code == ESRCH)
		return err_set(err, code, "cannot hold thread %d: it is gone", (int)tid);
	if (code == EBUSY)
		return err_set(err, EBUSY, "cannot hold thread %d: another inftrace holds it", (int)tid);
	if (code == EPERM && rights_is_yama("", why, sizeof why))
		return err_set(err, code, "cannot hold thread %d: %s", (int)tid, why);
	if (code == EPERM)
		return err_set(err, code, "cannot stop thread %d: a debugger traces it, or CAP_SYS_PTRACE is missing",
			       (int)tid);
	return err_set(err, code, "cannot hold thread %d: %s", (int)tid, strerror(code));
}

bool next_hold_is_in_loader(pid_t pid, uint64_t address)
{
	char path[64], line[4352];
	bool is_there = false;
	FILE *maps;

	snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
	maps = fopen(path, "re");
	while (maps && !is_there && fgets(line, sizeof line, maps)) {
		unsigned long long start, end;
		const char *name = strrchr(line, '/');
		if (sscanf(line, "%llx-%llx", &start, &end) != 2 || address < start || address >= end)
			continue;
		is_there = name && (!strncmp(name, "/ld-", 4) || !strncmp(name, "/ld.so", 6));
		break;
	}
	if (maps)
		fclose(maps);
	return is_there;
}

bool next_hold_is_early(pid_t tid, uint64_t *address)
{
	struct user_regs_struct regs;
	struct iovec where = { &regs, sizeof regs };
	uint64_t call;

	*address = 0;
	if (ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &where) || where.iov_len != sizeof regs)
		return false;
	*address = next_registers_address(&regs);
	call = next_registers_call(&regs);
	return call == SYS_mmap || call == SYS_mprotect || call == SYS_execve || call == SYS_execveat;
}

void next_hold_end(pid_t tid, int status)
{
	bool is_signal = WIFSTOPPED(status) && status >> 16 == 0; /* a signal on its way, and no stop of our own */

	ptrace(PTRACE_DETACH, tid, 0, is_signal ? (long)WSTOPSIG(status) : 0);
}
