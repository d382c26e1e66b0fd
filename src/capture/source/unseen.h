/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs in the tree of processes in which no agent has shown itself, and why: a process that became another
 * program under a limit, in another mount namespace or without the environment; a statically linked one. A fork
 * that has not become another program is none: its agent shows itself only when it has something to tell.
 * Starts from a zeroed struct unseen; one thread.
 */
#ifndef CAPTURE_SOURCE_UNSEEN_H
#define CAPTURE_SOURCE_UNSEEN_H

#include <stdbool.h>

#include "capture/source/source.h"

struct unseen {
	struct unseen_program *program; /* what the living processes run, in the order of the tree */
	size_t n, capacity;
	struct unseen_file *seen; /* the programs in which an agent was */
	size_t n_seen, seen_capacity;
};

/* Why it may be, when nothing in the program's file tells. */
extern const char unseen_unknown[];

/* An agent has told which file its program is; 0, 0: it does not know. False: memory is out. */
bool unseen_has_agent(struct unseen *unseen, uint64_t device, uint64_t inode);

/*
 * Looks what the processes run now; one that has ended, or runs something else, and all of them when
 * target->is_ending, get a note of the topic "process" when no agent was in their program. 0 or -errno and err.
 */
int unseen_update(struct unseen *unseen, const struct target *target, struct sink *out, uint64_t now_ns,
		  struct err *err);

void unseen_done(struct unseen *unseen);

#endif
