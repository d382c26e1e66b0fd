/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recorded processes: the target's root and all its descendants, identified by pid and start time, so that a reused
 * pid is a process of its own. A process stays in the tree until it ends, whoever becomes its parent. A process whose
 * parent ended before it was seen is only added by tree_add.
 *
 * Each living process has a TRACK_PROCESS. It is announced at an age of 20 ms, because until then it may still have the
 * name of the program that is about to start it (a fork before its exec, env, sh -c). After a later exec it is
 * announced again, on the same track. The track of a process that has ended ends TREE_LINGER_NS later, and with it all
 * below it, unless somebody holds it. Starts from a zeroed struct tree; one thread.
 */
#ifndef CAPTURE_SOURCE_TREE_H
#define CAPTURE_SOURCE_TREE_H

#include "capture/source/source.h"

#define TREE_LINGER_NS UINT64_C(3000000000)

/*
 * Updates the tree: drops ended processes, announces new ones. Processes that stay keep their order; new ones come
 * last. Zombies are dropped, except the root: it stays until it is waited for, so that its last values can still be
 * read. 0, or -errno and err: out of memory or the sink is broken. An empty tree is no error.
 */
int tree_update(struct tree *tree, const struct target *target, struct sink *out, uint64_t now_ns, struct err *err);

/* Milliseconds until tree_update has work: at most 50, or more if updates take long. */
int tree_due_ms(const struct tree *tree);

/*
 * Announces a process at once and keeps it and its descendants in the tree, even if it does not descend from the root.
 * Returns its track, also if it was known before or has ended since; 0 and err when there is no such process.
 */
uint32_t tree_add(struct tree *tree, const struct target *target, struct sink *out, pid_t pid, uint64_t now_ns,
		  struct err *err);

/* The track of the process that has this pid, or had it last; 0: unknown, or its track has ended. */
uint32_t tree_track(const struct tree *tree, pid_t pid);

/* Keeps the process's track, and those below it, until as many releases. An unknown track is left alone. */
void tree_hold(struct tree *tree, uint32_t track);
void tree_release(struct tree *tree, uint32_t track);

void tree_done(struct tree *tree);

#endif
