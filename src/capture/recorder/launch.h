/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starting a program with the agent in it: what kind of program it is, a private folder for the agent's segments, the
 * environment, fork and exec. Records nothing. Several may be under way at a time.
 */
#ifndef CAPTURE_RECORDER_LAUNCH_H
#define CAPTURE_RECORDER_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

struct launch_opts {
	const char *level;
	uint64_t ring_bytes;
	bool kernels;	     /* of devices, too */
	bool graph_nodes;    /* also nodes of graphs */
	bool use_ticks;	     /* the time stamp counter may be used */
	bool stdout_is_ours; /* what the program prints goes to standard error */
	const int *stdio;    /* its standard input, output and error; -1: ours. NULL: all are ours */
};

struct launch {
	pid_t pid;
	char dir[256];	   /* folder of the segments; "" when there is none */
	char program[512]; /* the file that runs, through scripts to their interpreter */
	char reason[200];  /* why the agent cannot be in it; "": it can */
	bool is_foreign;   /* a program of another processor */
	int lock;	   /* on the folder: who does not see our PID sees that it is in use */
	int hold;	   /* the child waits until this end of a pipe is closed */
	int failed;	   /* on which it reports the errno of an exec that failed */
};

/*
 * Prepares: resolves argv[0] in PATH, looks at the file, makes the folder. Nothing is started.
 * 0, or -errno and err: not found, not executable, no folder.
 */
int launch_prepare(struct launch *launch, char *const *argv, struct err *err);
/* Starts it, held until launch_go. 0, or -errno and err. */
int launch_start(struct launch *launch, const struct launch_opts *opts, char *const *argv, struct err *err);
/* Lets it run; -errno and err when exec failed. */
int launch_go(struct launch *launch, struct err *err);
/* Ends a program that launch_go has not let go. Removes the folder and what is left in it. */
void launch_done(struct launch *launch);

#endif
