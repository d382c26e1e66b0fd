/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files behind inftrace_profile.h share: the handles of the process and the two threads behind them. One
 * thread gathers while any handle is running (collecting.c); another one delivers while there are reports (delivery.c).
 * One lock guards all, and is not held in a callback.
 */
#ifndef LIBRARY_HANDLES_H
#define LIBRARY_HANDLES_H

#include <pthread.h>

#include "library/collector.h"
#include "profile/profile.h"

enum collecting { NOT_COLLECTING, STARTING, COLLECTING, ENDING };

struct handles {
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	pthread_cond_t hurry; /* for the thread that gathers */
	bool is_set_up, is_hurried;
	bool is_over; /* the process exits: no callback begins any more */
	enum collecting state;
	enum collector_level level; /* of what is collected now */
	int32_t pid;		    /* of the process that has started the first handle; 0: none was */
	uint32_t n_starting;	    /* handles, at this moment */
	uint64_t n_rounds;	    /* of the thread that gathers */
	int64_t offset_ns;	    /* CLOCK_REALTIME less CLOCK_MONOTONIC, in this round */
	struct collector collector;
	struct inftrace_profile *profiles; /* all that are open */
	struct profile_letter *first, **last;
	struct inftrace_profile *delivering; /* whose callback is running */
	bool has_deliverer;
	pthread_t deliverer;
	char note[GATHER_NOTE]; /* of the gather, in the last round */
};

extern struct handles handles;

/* handles.c. A thread of this library, detached, without the program's signals. 0 or -errno. */
int handles_start_thread(pthread_t *thread, void *(*run)(void *));

/* collecting.c. All under the lock, which is given up meanwhile. */
/* Before a handle starts: 0, or -errno. Collecting goes on until collecting_end_start at least. */
int collecting_prepare(void);
void collecting_end_start(void);
/* Returns when all that was recorded before the call was taken; at once if nothing is collected. */
void collecting_wait(void);
/* The next round begins now. */
void collecting_hurry(void);
bool collecting_is_on(void);

/* delivery.c. All under the lock. */
/* As the profile's send. */
bool delivery_send(void *to, struct profile_letter *letter);
/* Whether this is the thread that delivers. */
bool delivery_is_here(void);
/* No callback of this handle begins any more, nor is another one running than the one that calls this. */
void delivery_end(const struct inftrace_profile *profile);
/* The process exits: no callback begins any more. Takes the lock. */
void delivery_end_all(void);
void delivery_leave_child(void);

#endif
