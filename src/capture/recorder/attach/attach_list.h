/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All programs of the machine that have a runtime loaded, and whether each can be attached to. Reads /proc and the
 * files that processes have mapped; touches no process. Names and paths are as their owners chose them: not harmless
 * for a terminal.
 */
#ifndef CAPTURE_RECORDER_ATTACH_LIST_H
#define CAPTURE_RECORDER_ATTACH_LIST_H

#include <sys/types.h>

#include "capture/recorder/attach/attach_find.h"
#include "runtime/runtimes.h"

enum {
	ATTACH_RUNTIMES = 4, /* copies that are listed of one process */
	ATTACH_UNREAD = 4,   /* processes that are listed of those that cannot be read */
	ATTACH_OTHERS = 16,  /* the same of those whose runtimes are not recorded */
};

struct attach_copy {
	const struct runtime *runtime; /* NULL: could not be read from the file */
	char version[32];	       /* "" unknown */
	char path[256];		       /* as the process sees it; cut off if longer */
	bool is_deleted;
};

struct attach_row {
	struct attach_match match;
	pid_t parent, inner_pid; /* inner_pid: in its own pid namespace; 0: ours */
	unsigned user;		 /* its real user */
	uint64_t n_threads;
	struct attach_copy copy[ATTACH_RUNTIMES];
	char others[120];  /* runtimes that are not recorded: "TensorFlow 2.21.0"; "": none */
	size_t n_copies;   /* may be more than are listed */
	bool can_probe;	   /* with inftrace attach */
	bool can_inject;   /* with inftrace attach --inject, as far as is seen without looking into its memory */
	char obstacle[80]; /* why neither; "" otherwise */
	/*
	 * A runtime in the executable itself is in each process of a program, as in a browser's, also where none is
	 * used. leader: the first ancestor of a chain of such processes of one executable; 0: it is none of them, or
	 * the first itself. n_followers: of those that have it as their leader.
	 */
	pid_t leader;
	uint32_t n_followers;
	dev_t device; /* of the executable with the runtime; inode 0: the runtime is elsewhere */
	ino_t inode;
};

struct attach_list {
	struct attach_row *row; /* the oldest program first */
	size_t n;
	size_t n_unreadable; /* processes whose mapped files may not be read; the first of them: */
	struct attach_unread {
		pid_t pid;
		char name[64];
		struct err why;
	} unread[ATTACH_UNREAD];
	size_t n_others; /* processes with runtimes that are not recorded, and none that is; the first of them: */
	struct attach_other {
		pid_t pid;
		char name[64];
		char runtimes[120]; /* "OpenVINO 2026.4.1" */
	} other[ATTACH_OTHERS];
	bool hides_others;   /* /proc is mounted with hidepid: there may be more */
	char no_probes[400]; /* why no program at all can be probed; "" they can be */
};

/* 0, or -errno and err. attach_list_done also then. */
int attach_list_find(struct attach_list *list, struct err *err);
void attach_list_done(struct attach_list *list);

#endif
