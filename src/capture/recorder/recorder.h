/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recorder: one thread around one poll loop that lets the sources fill sinks while programs run. A library: it
 * prints nothing (say.h), opens no file (sinks) and keeps nothing between two recordings.
 *
 *   recorder_launch (recorder_launch.h)   starts a program and records it
 *   recorder_attach (attach.h)            records programs that run already, or are still to come
 *
 * Both hand a struct recorder_way to recorder_run, the loop. While a recording runs, this process gets SIGINT, SIGTERM,
 * SIGHUP, SIGQUIT and SIGCHLD (and SIGUSR1 on request) through the recorder; SIGPIPE and SIGXFSZ are ignored from then
 * on.
 */
#ifndef CAPTURE_RECORDER_RECORDER_H
#define CAPTURE_RECORDER_RECORDER_H

#include <stdbool.h>
#include <string.h>
#include <sys/types.h>

#include "base/err.h"
#include "capture/recorder/attached.h"
#include "capture/recorder/say.h"
#include "capture/source/source.h"
#include "event/sink.h"

/* What is recorded, and for how long. */
struct recorder_plan {
	const char *level;	  /* "inference", "operator", "detail" */
	bool kernels, no_kernels; /* of devices: asked for, or not wanted; else they are at level detail */
	bool graph_nodes;	  /* kernels, also those of graphs, one by one */
	uint64_t interval_ns;	  /* between two samples of resources */
	uint32_t stacks_hz;	  /* samples of stacks a second; 0: none */
	uint64_t duration_ns;	  /* stop recording then; 0: never */
	int iterations;		  /* stop recording once so many inferences have begun; 0: never */
	uint64_t max_bytes;	  /* stop recording when so much is written; 0: never */
	bool is_lean;		  /* sums are wanted alone: see struct target */
};

/* Who else lives on the recorder's thread: a page and its connections, a caller that wants to end the recording. */
struct recorder_guest {
	int fd;			  /* an epoll descriptor, a pipe */
	bool (*ready)(void *ctx); /* called when fd is readable; must not block. False: recording ends */
	void *ctx;
};

static inline bool recorder_wants_kernels(const struct recorder_plan *plan)
{
	return plan->kernels || plan->graph_nodes || (!plan->no_kernels && !strcmp(plan->level, "detail"));
}

/* What SIGUSR1 to the recorder is for. */
struct recorder_signal {
	void (*came)(void *ctx);
	void *ctx;
};

/* Everything is borrowed. */
struct recorder_opts {
	struct recorder_plan plan;
	struct sink *const *sinks; /* of one stream, at least one: each gets every event; flushed every 100 ms or so */
	size_t n_sinks;
	struct say say;
	const char *command;		    /* what is recorded, in words: a command line, "the next program" */
	const struct recorder_guest *guest; /* NULL: none */
	const struct recorder_signal *usr1; /* NULL: the signal is left alone */
	const int *file; /* a file that is written to: a part of its disk is left free (recorder_disk.h); NULL: none */
};

struct recorder_result {
	int wait_status;      /* of the program, as wait tells it; attached: none */
	int64_t peak_bytes;   /* resident, of it or of a process that it waited for; 0: not known */
	bool has_stopped;     /* recording ended before the program did */
	bool has_failed;      /* because something went wrong: its end is missing */
	bool was_interrupted; /* somebody wanted it to end: Ctrl-C, or a signal that was passed on */
	char stop_reason[400];
	uint64_t n_processes, n_runtimes; /* seen; with a runtime in them */
	char other[80];	   /* a runtime, with its version, that was loaded and is not recorded; "": none */
	bool lacks_runs;   /* of one of them no inference can be seen */
	uint64_t n_unseen; /* processes whose inferences were not seen; the recording has the reasons */
	uint64_t n_left;   /* processes that the program started and that go on, not recorded */
	uint64_t n_inferences, n_lost, n_bytes, elapsed_ns;
	uint64_t n_sampled_out; /* inferences that --sample or --rate left out */
	uint64_t n_latencies;	/* inferences that these are of, as in latency.h; 0: none, or several models ran */
	uint64_t median_ns, p99_ns, slowest_ns;
	uint64_t cpu_ns; /* the recorder's own */
};

/* How the programs are reached. level, interval_ns and tree of the target are filled in by recorder_run. */
struct recorder_way {
	struct target target;
	int (*go)(void *ctx, struct err *err); /* called once everything is ready; NULL: nothing is to be done */
	void (*leave)(void *ctx); /* attached: called when recording ends, before what is left is read; or NULL */
	void *ctx;
	bool waits;		    /* for what the program has started, when it has ended itself */
	const char *program_reason; /* why the agent is not in the program; NULL: it is */
	struct attached *attached;  /* programs that run already, target.pid is 0; NULL: target.pid is our child */
	const char *needed;	    /* the source without which there is nothing to record; NULL: none */
};

/*
 * Records until the program (target.pid, a child of ours) ends. 0, or -errno and err: nothing could be recorded at all
 * (go failed, a sink fails from the start). A sink that fails later stops recording, not the program.
 *
 * Attached: the programs are put into the tree before the first source starts. Records until they have all ended, or
 * until Ctrl-C or SIGTERM, which are meant for us; then returns, whatever the programs do. Time counts from behind go.
 */
int recorder_run(const struct recorder_opts *opts, struct recorder_way *way, struct recorder_result *result,
		 struct err *err);

/*
 * Lets this process have as many descriptors as it may: the soft limit is often 1024, and perf events take one for each
 * place. 0, or -EMFILE and err: that is too few to look into a program.
 */
int recorder_allow_descriptors(struct err *err);

#endif
