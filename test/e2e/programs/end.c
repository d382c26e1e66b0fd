/* SPDX-License-Identifier: Apache-2.0 */
/*
 * end LIBRARY MODEL SHAPE OUT_LEN RUNS HOW: makes RUNS runs, then ends. HOW: a number (exit status), _exit, abort,
 * segv, kill, term, closefds (closes every descriptor but the standard three, runs again), clearenv (empties its
 * environment, runs again), leak (returns with everything open).
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "ort.h"

static struct model model;

static void run(long n)
{
	for (long i = 0; i < n; i++)
		printf("%016lx\n", model_run(&model));
	fflush(stdout);
}

static void end_by_signal(const char *how)
{
	struct rlimit no_core = { 0, 0 };

	setrlimit(RLIMIT_CORE, &no_core);
	if (!strcmp(how, "abort"))
		abort();
	if (!strcmp(how, "segv"))
		*(volatile int *)8 = 1;
	if (!strcmp(how, "kill"))
		raise(SIGKILL);
	if (!strcmp(how, "term"))
		raise(SIGTERM);
}

int main(int argc, char **argv)
{
	struct ort ort;
	const char *how = argv[6];
	long n = atol(argv[5]);

	ort_open(&ort, runtime_open(argv[1]));
	model_open(&model, &ort, argv[2], argv[3], (size_t)atol(argv[4]));
	run(n);
	end_by_signal(how);
	if (!strcmp(how, "_exit"))
		_exit(9);
	if (!strcmp(how, "closefds")) {
		for (int fd = 3; fd < 4096; fd++)
			close(fd);
		run(n);
	}
	if (!strcmp(how, "clearenv")) {
		clearenv();
		run(n);
	}
	if (!strcmp(how, "leak"))
		return 0;
	model_close(&model);
	ort_close(&ort);
	return atoi(how);
}
