/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The programs that a recording is attached to. They are not our children: they are known by pid and start time, held
 * by a pidfd, never waited for and never sent a signal. Starts from attached_init; one thread.
 */
#ifndef CAPTURE_RECORDER_ATTACHED_H
#define CAPTURE_RECORDER_ATTACHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

struct attached_program {
	pid_t pid;
	uint64_t start_ticks; /* field 22 of /proc/PID/stat */
	int pidfd;
	bool is_in_tree; /* the recorder's */
};

struct attached {
	struct attached_program *program; /* those that have not ended */
	size_t n, capacity;
	int fd;		 /* readable when one has ended, or when a descriptor given to attached_watch is */
	bool waits;	 /* for programs to come: the recording is not over when all have ended */
	bool is_hurried; /* programs are held until the sources have taken them up */
	bool time_waits; /* time counts from the first program on */
	/*
	 * Called by the recorder every few milliseconds and when fd is readable: adds the programs that have come.
	 * NULL: none come. An error ends the recording.
	 */
	int (*look)(void *ctx, struct attached *attached, struct err *err);
	void *ctx;
};

/* How a program ended, where the kernel tells (6.15 and later). */
struct attached_end {
	pid_t pid;
	bool is_known;
	int wait_status; /* as wait tells it */
};

/* 0, or -errno and err. */
int attached_init(struct attached *attached, struct err *err);

/*
 * Adds a program; one that is there already is left as it is. start_ticks: what it must have started at; 0: whoever
 * bears this pid now. 0, or -errno and err: ESRCH it has ended, or the pid belongs to another process by now.
 */
int attached_add(struct attached *attached, pid_t pid, uint64_t start_ticks, struct err *err);

/* Whether it is one of these, and has not ended; its end may not be taken out yet. */
bool attached_lives(const struct attached *attached, pid_t pid, uint64_t start_ticks);

/* Takes out one that has ended; false: none has. May wait a few milliseconds for its parent to take note of its end. */
bool attached_next_ended(struct attached *attached, struct attached_end *end);

/* fd becomes readable when `other` is. 0 or -errno and err. */
int attached_watch(struct attached *attached, int other, struct err *err);

void attached_done(struct attached *attached);

#endif
