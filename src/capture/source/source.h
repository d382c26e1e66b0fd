/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A source produces events while a recording runs. One file per source, one
 * constant of this type per file, listed by name in sources.c.
 *
 * The recorder calls: check -> start -> (drain)* -> stop, all on one thread.
 * state points to state_size zeroed bytes, owned by the recorder.
 */
#ifndef CAPTURE_SOURCE_SOURCE_H
#define CAPTURE_SOURCE_SOURCE_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
#include "event/sink.h"

/* One process of the recorded tree, kept up to date by the recorder (capture/source/tree.c). */
struct tree_process {
	pid_t pid;
	uint64_t start_ticks; /* field 22 of /proc/PID/stat: with the pid, the identity */
	uint32_t track;	      /* its TRACK_PROCESS */
	uint64_t start_ns;    /* CLOCK_MONOTONIC, 0: unknown */
	bool is_over;	      /* it has ended: the root, which stays until it is waited for */
	/* private to the tree */
	int pidfd;	  /* + 1; 0: none */
	uint32_t exe;	  /* its executable's path, 0: unknown */
	uint64_t look_ns; /* when to check whether it runs another program */
	uint64_t number;  /* of processes so far, in the order of appearance */
	uint32_t n_holds;
};

struct tree {
	struct tree_process *process; /* living processes, root first */
	size_t n, capacity;
	uint64_t n_news;  /* grows with each update before which a process or thread may have begun on this machine */
	uint64_t n_ended; /* processes that were in it */
	bool is_asked;	  /* a source has met a process that may be new in it: it is updated at the next turn */
	struct tree_scan *scan; /* private to the tree */
};

struct uprobes;

/* A program into which the agent is injected: facts that the agent itself cannot report. */
struct host {
	pid_t pid;
	const char *name, *path, *version; /* the program's; the runtime's */
	char unseen[256];		   /* recorded if no agent has appeared by the end: which part is missing,
					    * and why */
	bool is_another;		   /* it has called exec: the agent is no longer in it */
};

/*
 * What is recorded. Filled by the command; read-only for sources.
 *
 * A program started by the recorder is the root of its tree (pid). Running programs are attached: pid is 0, and they
 * are put into the tree before the first source starts, or when they appear.
 */
struct target {
	const char *sysroot;		   /* "" on a live machine; a captured tree in tests: "<sysroot>/proc/stat"
					    * is read */
	pid_t pid;			   /* root of the process tree, a child of ours; 0: attached */
	const char *ring_dir;		   /* folder of the segments of the tree's agents; NULL: none */
	const char *const *more_ring_dirs; /* more such folders, NULL-terminated; NULL: none */
	uint64_t ring_bytes;		   /* the largest buffer of a thread in them; 0: not known */
	const char *level;		   /* "inference", "operator", "detail" */
	uint64_t interval_ns;		   /* between two samples of resources */
	uint32_t stacks_hz;		   /* samples of stacks a second; 0: none */
	struct tree *tree;		   /* the processes of the target; sources change it through tree.h only */
	const struct host *host;	   /* set by the command; source_agent reports on them */
	size_t n_hosts;
	struct uprobes *uprobes; /* probes from outside (capture/probe/uprobes.h), set by the command; NULL: none */
	bool is_lean;		 /* what programs do is summed up alone: few sources, and no figure that is dear */
	bool rests;		 /* new programs are met by events: processes need not be looked at often for that */
	bool drops_rights;	 /* once the sources have started: what needs some later begins in start */
	uint64_t n_child_news;	 /* grows when a child of the recorder has stopped, gone on or ended, */
	uint64_t n_child_stops;	 /* and when it has stopped: by now it may have gone on */
	bool is_ending;		 /* the next drain of each source is its last */
	uint64_t own_end_ns;	 /* when a recorded process itself asked for that, and began to wait; 0: none has */
};

/* A device that a source can read; texts are for people. */
struct source_device {
	char name[64];	   /* "gpu card1": prefix of its counters' names */
	char text[160];	   /* description: "amdgpu 1002:744C at 0000:03:00.0" */
	char tells[300];   /* values of the whole device: "busy, power"; "": none */
	char problem[400]; /* what cannot be read of it, and how to change that; "": no problem */
};

typedef void (*source_device_fn)(void *ctx, const struct source_device *device);

struct source {
	const char *name; /* name in recordings: "cpu" */
	const char *help; /* description in one line */
	size_t state_size;
	bool is_for_sums; /* also wanted where the target is_lean */

	/*
	 * Whether it can run here: 0, or -errno and the reason; EOPNOTSUPP: not used in this mode of recording. No side
	 * effects.
	 */
	int (*check)(const struct target *target, struct err *err);

	int (*start)(void *state, const struct target *target, struct sink *out, struct err *err);

	/* Milliseconds until drain is due again; NULL: once per interval. */
	int (*due_ms)(const void *state);

	/* Puts the events that are ready. Must not block. An error ends this source only; the recorder notes it. */
	int (*drain)(void *state, struct sink *out, uint64_t now_ns, struct err *err);

	/* Undoes start. Also called after a start that failed halfway. */
	void (*stop)(void *state);

	/* Lists its devices, used or not, for doctor: may query drivers and take seconds. NULL: none. */
	void (*devices)(const struct target *target, source_device_fn each, void *ctx);
};

extern const struct source *const sources[]; /* NULL-terminated */

#endif
