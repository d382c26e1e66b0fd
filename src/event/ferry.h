/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The few hundred bytes that bring the agent into a running process: what the injector writes, the agent reads, and
 * both look at while it is done. The code behind the head is src/capture/inject/ferry.S; the head's offsets are its
 * business, too. Plain fixed-width C.
 *
 * Head and code lie in unused bytes behind a module's code and are written from outside; the state lies in unused bytes
 * behind a module's data and is written by the process. Both stay for the life of the process: a thread may be on its
 * way through the code at any time, and the next injector finds here what the last one left.
 */
#ifndef EVENT_FERRY_H
#define EVENT_FERRY_H

#include <stdint.h>

#define FERRY_MAGIC 0x3130595252454674ull /* "tFERRY01" */
#define FERRY_ENTRY "inftrace_inject"
#define FERRY_LIFELINE "lifeline" /* in dir: a FIFO that the recorder reads from while it lives */

/* FERRY_MAX: bytes of head and code at most */
enum { FERRY_DIR = 120, FERRY_AGENT = 248, FERRY_ERROR = 120, FERRY_MAX = 1024 };

enum ferry_phase {
	FERRY_IDLE,	/* the next call takes it */
	FERRY_CLAIMED,	/* a call has taken it: the agent is coming */
	FERRY_FAILED,	/* it could not be brought in: error */
	FERRY_DONE,	/* it has left again: it is loaded, and does nothing */
	FERRY_DISARMED, /* it has taken its hooks out, and is leaving */
	FERRY_ARMED,	/* its hooks are in */
};

struct ferry_head {
	uint64_t magic;
	uint64_t state;	   /* address of struct ferry_state */
	uint64_t original; /* what the slot holds without us; where the code goes on */
	uint64_t slot;	   /* address of the word that leads here */
	uint64_t pthread_create, dlopen, dlsym, dlerror, errno_location; /* of the process's C library */
	uint64_t segment_size; /* sizeof(struct segment): an agent of another version must not be used */
	uint64_t ring_bytes;
	uint32_t level; /* as the agent numbers them: 1 inference, 2 operator, 3 detail */
	uint32_t use_ticks;
	uint32_t slot_is_readonly; /* the slot's page was not writable */
	uint32_t unused;
	char entry[24];		 /* FERRY_ENTRY */
	char dir[FERRY_DIR];	 /* where segments go, as the process sees it */
	char agent[FERRY_AGENT]; /* the library, as the process sees it */
};

struct ferry_state {
	uint32_t phase;		 /* enum ferry_phase */
	uint32_t code;		 /* errno of what failed */
	uint64_t entry;		 /* of the loaded agent; 0: not loaded yet */
	char error[FERRY_ERROR]; /* for people */
};

/* What the process calls: the agent, until it has left again. head is the one in its own memory. */
void inftrace_inject(const struct ferry_head *head);

#endif
