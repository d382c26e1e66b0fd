/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints what a program inherits and what its process holds: descriptors, signals, limits, identity, environment. A
 * leak of the recorder or the agent into the target changes the output.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

static void print_status(void)
{
	static const char *const wanted[] = { "SigBlk:",  "SigIgn:", "SigCgt:",	   "NoNewPrivs:", "Seccomp:",
					      "Threads:", "Umask:",  "TracerPid:", "CapEff:",	  "CapInh:" };
	char line[512];
	FILE *file = fopen("/proc/self/status", "r");

	while (fgets(line, sizeof(line), file))
		for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
			if (!strncmp(line, wanted[i], strlen(wanted[i])))
				fputs(line, stdout);
	fclose(file);
}

static void print_limits(void)
{
	struct rlimit limit;

	for (int i = 0; i < RLIMIT_NLIMITS; i++)
		if (!getrlimit(i, &limit))
			printf("limit %d %lu %lu\n", i, limit.rlim_cur, limit.rlim_max);
}

static void print_environment(void)
{
	for (char **env = environ; *env; env++)
		if (strncmp(*env, "LD_PRELOAD=", 11) && strncmp(*env, "INFTRACE", 8) &&
		    strncmp(*env, "ASAN_OPTIONS=", 13))
			puts(*env);
}

int main(int argc, char **argv)
{
	char cwd[4096];
	int death = 0;

	errno = 0;
	printf("errno %d\n", errno);
	for (int fd = 0; fd < 1024; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			printf("descriptor %d\n", fd);
	printf("next descriptor %d\n", open("/dev/null", O_RDONLY));
	print_status();
	print_limits();
	prctl(PR_GET_PDEATHSIG, &death);
	printf("death signal %d, dumpable %d, nice %d\n", death, prctl(PR_GET_DUMPABLE), getpriority(PRIO_PROCESS, 0));
	printf("cwd %s, own group %d, own session %d\n", getcwd(cwd, sizeof(cwd)), getpgrp() == getpid(),
	       getsid(0) == getpid());
	for (int i = 1; i < argc; i++)
		printf("argument %s\n", argv[i]);
	print_environment();
	return 0;
}
