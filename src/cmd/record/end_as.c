// SPDX-License-Identifier: Apache-2.0
#include "cmd/record/end_as.h"

#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int end_as(int wait_status)
{
	struct rlimit none = { 0, 0 };
	sigset_t set;

	if (!WIFSIGNALED(wait_status))
		return WEXITSTATUS(wait_status);
	fflush(NULL);
	setrlimit(RLIMIT_CORE, &none);
	signal(WTERMSIG(wait_status), SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, WTERMSIG(wait_status));
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	kill(getpid(), WTERMSIG(wait_status));
	return 128 + WTERMSIG(wait_status);
}
