// SPDX-License-Identifier: Apache-2.0
#include "capture/proc/bare_child.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/proc/proc.h"

enum { NOBODY = 65534 };
static const uint64_t max_memory = (uint64_t)6 << 30; /* a file, mapped, may be 4 GiB */

/* Bytes of this process's address space now, which do not count. */
static uint64_t own_memory(void)
{
	char text[128];
	ssize_t got = proc_read("", getpid(), "statm", text, sizeof text);
	uint64_t pages = 0;

	if (got > 0)
		proc_number(text, (size_t)got, 0, &pages);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* A right that cannot be dropped was never there. */
void bare_child_become(int first, int second, unsigned cpu_seconds)
{
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct none[2] = { { 0 } };
	rlim_t all = max_memory + own_memory();
	struct rlimit memory = { all, all }, cpu = { cpu_seconds, cpu_seconds }, zero = { 0, 0 };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (int signal_ = 1; signal_ < NSIG; signal_++)
		signal(signal_, SIG_DFL);
	setrlimit(RLIMIT_AS, &memory);
	setrlimit(RLIMIT_CPU, &cpu);
	setrlimit(RLIMIT_CORE, &zero);
	setrlimit(RLIMIT_FSIZE, &zero);
	/* two descriptors, 0 and 1, are left */
	first = fcntl(first, F_DUPFD, 2);
	second = fcntl(second, F_DUPFD, 2);
	if (first < 0 || second < 0 || dup2(first, 0) < 0 || dup2(second, 1) < 0)
		_exit(1);
	syscall(SYS_close_range, 2, ~0u, 0);
	syscall(SYS_setgroups, 0, NULL);
	syscall(SYS_setresgid, NOBODY, NOBODY, NOBODY);
	syscall(SYS_setresuid, NOBODY, NOBODY, NOBODY);
	if (syscall(SYS_capset, &header, none))
		_exit(1);
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* another user has cleared it */
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_DUMPABLE, 0);
}
