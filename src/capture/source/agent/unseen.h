/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds programs in the tree of processes that have no agent, and why: a process that called exec under a limit, in
 * another mount namespace or without the environment; a statically linked one. A fork without exec does not count: its
 * agent appears only when it has something to record. Starts from a zeroed struct unseen; one thread.
 */
#ifndef CAPTURE_SOURCE_AGENT_UNSEEN_H
#define CAPTURE_SOURCE_AGENT_UNSEEN_H

#include <stdbool.h>

#include "capture/source/source.h"

struct unseen {
	struct unseen_program *program; /* the programs of the living processes, in the order of the tree */
	size_t n, capacity;
	struct unseen_file *seen;		 /* programs with an agent */
	size_t n_seen, seen_capacity, n_lasting; /* n_lasting: without a pid, as of the last look */
	bool has_other_version; /* set it when a segment was found that another version's agent has written */
};

/* The reason when nothing in the program's file explains it. */
extern const char unseen_unknown[];

/* An agent has reported its program's file; 0, 0: unknown; pid 0: unknown. False: out of memory. */
bool unseen_has_agent(struct unseen *unseen, pid_t pid, uint64_t device, uint64_t inode);

/*
 * Checks the programs of the processes. A program without an agent gets a note of the topic "process" when it ends or
 * is replaced, and when target->is_ending. 0 or -errno and err.
 */
int unseen_update(struct unseen *unseen, const struct target *target, struct sink *out, uint64_t now_ns,
		  struct err *err);

/* The program that this process runs now has its note already. */
void unseen_is_told(struct unseen *unseen, pid_t pid);

void unseen_done(struct unseen *unseen);

#endif
