/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the library. */
#ifndef LIBRARY_LIBRARY_IN_H
#define LIBRARY_LIBRARY_IN_H

#include <limits.h>
#include <pthread.h>

#include "base/clock.h"
#include "capture/decode/recorded_drain.h"
#include "event/ferry.h"
#include "event/port.h"
#include "inftrace.h"
#include "profile/gather.h"
#include "profile/profile.h"

/* What the last call of a thread has to say: inftrace_profile_message. */
/* Begins a call: nothing to say. */
void message_clear(void);
void message_set(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Ends it: returns the code, and has something to say of a failure that nobody has explained. */
int message_end(int code);

/* What the files of libinftrace share. The library is a guest in the program: it never prints, exits or changes errno.
 */
extern struct port library_port;

/* The agent's functions; call only when inftrace_on was set once. */
static inline const struct port_calls *library_calls(void)
{
	return __atomic_load_n(&library_port.calls, __ATOMIC_ACQUIRE);
}

/* What struct inftrace_name is inside. */
static inline struct port_name *library_name(const struct inftrace_name *name)
{
	return (struct port_name *)(uintptr_t)name;
}

/*
 * The agent in this process, and what it writes. Without a recorder: brings the agent as the injector does
 * (event/ferry.h), and reads its segment as the recorder does. In a program that a recorder has started, or has brought
 * the agent into: reads the segment beside it (event/port.h). One thread at a time.
 */
/* As the agent has them. */
enum collector_level { COLLECT_INFERENCES = 1, COLLECT_OPERATORS = 2 };

struct collector {
	struct gather gather;
	struct recorded *process;
	struct clock_map clock;
	uint64_t updated_ns;		/* when the clock was compared last */
	char dir[FERRY_DIR], path[256]; /* of the segment; "": not found so far */
	int lifeline;			/* -1: none */
	enum collector_level level;	/* of what is recorded */
	bool is_shared;			/* with a recorder, whose agent it is */
};

/*
 * Returns when the hooks are in. 0; -ENOENT: no agent was found; -EBUSY: somebody else records the program, and does
 * not share; -EIO: the agent does not work here; -ENOMEM. A recorder that shares has a level of its own.
 */
int collector_open(struct collector *collector, enum collector_level level, const struct gather_calls *calls);
/* Takes what has been written so far. 0, -ENOMEM. */
int collector_drain(struct collector *collector);
/* Takes the hooks out. What was not drained is dropped. */
void collector_close(struct collector *collector);
/* In a child of fork: the parent's agent must not take this process for its recorder. */
void collector_leave_child(struct collector *collector);

/*
 * What the files behind inftrace_profile.h share: the handles of the process and the two threads behind them. One
 * thread gathers while any handle is running (collecting.c); another one delivers while there are reports (delivery.c).
 * One lock guards all, and is not held in a callback.
 */
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
