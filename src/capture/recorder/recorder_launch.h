/* SPDX-License-Identifier: Apache-2.0 */
/* Starts a program with the agent in it, and records it until it ends. */
#ifndef CAPTURE_RECORDER_RECORDER_LAUNCH_H
#define CAPTURE_RECORDER_RECORDER_LAUNCH_H

#include "capture/recorder/recorder.h"
#include "capture/recorder/recorder_in.h"

struct recorder_launch_opts {
	char *const *argv;   /* the command line, NULL at the end */
	uint64_t ring_bytes; /* of the buffer of one thread */
	bool stdout_is_ours; /* what the program prints goes to standard error */
	const int *stdio;    /* its standard input, output and error; -1: ours. NULL: all are ours */
	bool waits;	     /* records what the program has started until that has ended, too */
};

/*
 * launch: from launch_prepare of the same argv, which tells whether there is such a program before sinks are opened;
 * launch_done is the caller's. A program in which the agent cannot live is recorded without it, which is said. 0, or
 * -errno and err: the program was not started.
 */
int recorder_launch(const struct recorder_opts *opts, const struct recorder_launch_opts *launch_opts,
		    struct launch *launch, struct recorder_result *result, struct err *err);

#endif
