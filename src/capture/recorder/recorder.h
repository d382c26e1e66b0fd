/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recorder: one thread around one poll loop that lets the sources fill a trace file while a program
 * runs. What is recorded and how it was started is the command's business.
 */
#ifndef CAPTURE_RECORDER_RECORDER_H
#define CAPTURE_RECORDER_RECORDER_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
#include "capture/recorder/attached.h"
#include "capture/source/source.h"
#include "event/sink.h"

struct recorder_opts {
	int fd; /* the file, open for writing */
	bool compress;
	bool has_progress;		  /* a line on standard error that is kept up to date */
	uint64_t duration_ns, iterations; /* stop recording then; 0: never */
	const char *command;		  /* the command line */
	const char *program_reason;	  /* why the agent is not in the program; "" it is */
	struct attached *attached;	  /* programs that run already, target->pid is 0; NULL: it is our child */
	const char *needed;		  /* attached: the source without which there is nothing to record */
	/* Attached: called with go's ctx when recording ends, before what is left is read; or NULL. */
	void (*leave)(void *ctx);
	const char *version;
};

struct recorder_result {
	int wait_status;      /* of the program, as wait tells it; attached: none */
	bool has_stopped;     /* recording ended before the program did */
	bool has_failed;      /* because something went wrong: its end is missing */
	bool was_interrupted; /* somebody wanted it to end: Ctrl-C, or a signal that was passed on */
	char stop_reason[400];
	uint64_t n_processes, n_runtimes; /* seen; with a runtime in them */
	uint64_t n_inferences, n_lost, n_bytes, elapsed_ns;
	uint64_t cpu_ns; /* the recorder's own */
};

/*
 * Records until the program (target->pid, a child of ours) ends. target->tree is made here. go is called
 * once everything is ready. 0, or -errno and err: nothing could be recorded at all (go failed, the file
 * cannot be written to from the start). A full disk later stops recording, not the program.
 *
 * Attached: the programs are put into the tree before the first source starts; go may be NULL. Records until they have
 * all ended, or until Ctrl-C or SIGTERM, which are meant for us; then returns, whatever the programs do. Time counts
 * from behind go.
 */
int recorder_run(const struct recorder_opts *opts, struct target *target, int (*go)(void *ctx, struct err *err),
		 void *ctx, struct recorder_result *result, struct err *err);

/*
 * Lets this process have as many descriptors as it may: the soft limit is often 1024, and perf events take one for each
 * place. 0, or -EMFILE and err: that is too few to look into a program.
 */
int recorder_allow_descriptors(struct err *err);

#endif
