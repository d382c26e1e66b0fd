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
	/* the tree's own */
	int pidfd;	  /* + 1; 0: none */
	uint32_t exe;	  /* its executable's path, 0: unknown */
	uint64_t look_ns; /* when to see whether it runs another program now */
};

struct tree {
	struct tree_process *process; /* living processes, root first */
	size_t n, capacity;
	struct tree_scan *scan; /* the tree's own notes */
};

struct uprobes;

/* A program into which the command brings the agent, as far as the agent itself cannot tell of it. */
struct host {
	pid_t pid;
	const char *name, *path, *version; /* the program's; the runtime's */
	char unseen[256];		   /* what is recorded of it if no agent has come until the end, and why */
	bool is_another;		   /* it has called exec: there is no agent in it any more */
};

/*
 * What is recorded. Filled by the command; read-only to sources.
 *
 * A program that we started is the root of its tree (pid). Programs that run already are attached: pid is 0, and they
 * are in the tree before the first source starts, or are added to it when they appear.
 */
struct target {
	const char *sysroot;		   /* "" in life; a captured tree in tests: "<sysroot>/proc/stat" is read */
	pid_t pid;			   /* root of the process tree, a child of ours; 0: attached */
	const char *ring_dir;		   /* where the agents of the tree put their segments; NULL: none */
	const char *const *more_ring_dirs; /* more such folders, NULL at the end; NULL: no more */
	const char *level;		   /* "inference", "operator", "detail" */
	uint64_t interval_ns;		   /* between two samples of resources */
	struct tree *tree;		   /* the processes of the target; sources change it through tree.h only */
	const struct host *host;	   /* the command's; source_agent tells of them */
	size_t n_hosts;
	struct uprobes
	    *uprobes;	/* probes from outside (capture/probe/uprobes.h), the command's; NULL: none are wanted */
	bool is_ending; /* the next drain of each source is its last */
};

/* A device that a source can tell of; texts are for people. */
struct source_device {
	char name[64];	   /* "gpu card1": how the names of its counters begin */
	char text[160];	   /* what it is: "amdgpu 1002:744C at 0000:03:00.0" */
	char tells[300];   /* what can be read of the whole device: "busy, power"; "": nothing */
	char problem[400]; /* what cannot be seen of it, and what to do about it; "": nothing */
};

typedef void (*source_device_fn)(void *ctx, const struct source_device *device);

struct source {
	const char *name; /* what the user types: --source cpu */
	const char *help; /* one line for `list sources` */
	size_t state_size;

	/* Could it run here? 0, or -errno and the reason; EOPNOTSUPP: this way of recording has no use for it. No side
	 * effects. */
	int (*check)(const struct target *target, struct err *err);

	int (*start)(void *state, const struct target *target, struct sink *out, struct err *err);

	/* Milliseconds until drain wants to be called again; NULL: once per interval. */
	int (*due_ms)(const void *state);

	/* Push what is ready. Must not block. An error ends this source only; the recorder notes it. */
	int (*drain)(void *state, struct sink *out, uint64_t now_ns, struct err *err);

	/* Undo start. Also called after a start that failed half way. */
	void (*stop)(void *state);

	/* The devices that there are, used or not, for doctor: it may ask their drivers and take seconds. NULL: it is
	 * of none. */
	void (*devices)(const struct target *target, source_device_fn each, void *ctx);
};

extern const struct source *const sources[]; /* NULL-terminated */

#endif
