/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The processes that are recorded: the target's root and all its descendants, known by pid and start
 * time, so that a pid used again is a process of its own. A process once known stays in the tree until it
 * ends, whoever its parent becomes; one whose parent ended before it was seen is only found by tree_add.
 *
 * Each living process has a TRACK_PROCESS. It is announced when it is 20 ms old, because until then it
 * may still bear the name of the program that is about to start it (a fork before its exec, env, sh -c);
 * one that becomes another program later is announced again, on the same track. Starts from a zeroed struct tree; one
 * thread.
 */
#ifndef CAPTURE_SOURCE_TREE_H
#define CAPTURE_SOURCE_TREE_H

#include "capture/source/source.h"

/*
 * Brings the tree up to date: drops what ended, announces what is new. The order of processes that stay
 * does not change; new ones come last. Zombies are not in the tree, but for the root: it stays until it
 * is waited for, so that its last values can still be read. 0, or -errno and err: memory is out or the
 * sink is broken; nothing else is an error, an empty tree neither.
 */
int tree_update(struct tree *tree, const struct target *target, struct sink *out, uint64_t now_ns, struct err *err);

/* Milliseconds until tree_update has work: at most 50, more where one update takes long. */
int tree_due_ms(const struct tree *tree);

/*
 * Announces a process at once and keeps it and its descendants in the tree, whether or not it descends
 * from the root. Its track, also when it was known before, and when it has ended since; 0 and err when
 * there is no such process.
 */
uint32_t tree_add(struct tree *tree, const struct target *target, struct sink *out, pid_t pid, uint64_t now_ns,
		  struct err *err);

/* The track of the process that has this pid, or had it last; 0: not known. */
uint32_t tree_track(const struct tree *tree, pid_t pid);

void tree_done(struct tree *tree);

#endif
