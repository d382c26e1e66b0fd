/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The few hundred bytes that bring the agent into a running process. The injector writes them, the agent reads them,
 * and both watch them meanwhile. src/capture/inject/ferry_x86.S or ferry_arm64.S is the code behind the head and uses
 * the head's offsets. Plain fixed-width C.
 *
 * Head and code lie in unused bytes behind a module's code and are written from outside. The state lies in unused bytes
 * behind a module's data and is written by the process. Both stay for the life of the process: a thread may be running
 * the code at any time, and the next injector reads the state that the last one left. A child of fork inherits both,
 * and a phase that nobody in it ends: its thread tells.
 */
#ifndef EVENT_FERRY_H
#define EVENT_FERRY_H

#include <stdint.h>

#define FERRY_MAGIC 0x3330595252454674ull /* "tFERRY03" */
#define FERRY_ENTRY "inftrace_inject"
#define FERRY_LIFELINE "lifeline" /* in dir: a FIFO that the recorder keeps open for reading while it runs */

/* FERRY_SLOTS: words that may lead to the code; FERRY_MAX: bytes of head and code at most */
enum { FERRY_DIR = 64, FERRY_AGENT = 192, FERRY_ERROR = 120, FERRY_SLOTS = 8, FERRY_MAX = 1536 };

enum { FERRY_LEVEL = 15, FERRY_KERNELS = 16, FERRY_NODES = 32 }; /* also kernels of devices; also nodes of graphs */

enum ferry_phase {
	FERRY_IDLE,	/* the next call claims it */
	FERRY_CLAIMED,	/* a call has claimed it: the agent is being loaded */
	FERRY_FAILED,	/* loading failed: error says why */
	FERRY_DONE,	/* the agent is loaded, and inactive again */
	FERRY_DISARMED, /* the agent has removed its hooks, and is leaving */
	FERRY_ARMED,	/* the agent's hooks are in place */
};

/* A word that leads to the code: one of each copy of a runtime in the process. */
struct ferry_slot {
	uint64_t at;	   /* its address; 0: this one and all behind it are not used */
	uint64_t original; /* its value; the code goes on there */
};

struct ferry_head {
	uint64_t magic;
	uint64_t state; /* address of struct ferry_state */
	/* of its C library */
	uint64_t pthread_create, dlopen, dlsym, dlerror, errno_location, register_atfork;
	uint64_t pthread_detach, pthread_key_create, pthread_setspecific;
	uint64_t segment_layout; /* SEGMENT_LAYOUT: an agent of another version must not be used */
	uint64_t ring_bytes;
	uint32_t level; /* FERRY_LEVEL: the agent's: 1 inference, 2 operator, 3 detail; FERRY_KERNELS, FERRY_NODES */
	uint32_t use_ticks;
	uint32_t readonly_slots; /* a bit for each slot whose page was not writable */
	uint32_t is_leaving; /* the recorder, in good order: what it has not read yet it reads, then sets SEGMENT_OFF */
	char entry[24];	     /* FERRY_ENTRY */
	char dir[FERRY_DIR]; /* folder of segments, as the process sees it */
	char agent[FERRY_AGENT]; /* the library, as the process sees it */
	struct ferry_slot slot[FERRY_SLOTS];
};

enum ferry_loading {
	FERRY_NOT_LOADING,
	FERRY_LOADING,	  /* dlopen is loading the agent; forks wait */
	FERRY_HALF_LOADED /* the process was forked during that: its loader is in an unknown state */
};

struct ferry_state {
	uint32_t phase;	   /* enum ferry_phase */
	uint32_t thread;   /* that brings the phase about, as the process sees it; a child of fork does not have it */
	uint64_t entry;	   /* of the loaded agent; 0: not loaded yet */
	uint32_t n_forks;  /* under way */
	uint32_t loading;  /* enum ferry_loading */
	uint32_t is_known; /* 1: fork calls the code */
	uint32_t code;	   /* errno of what failed */
	char error[FERRY_ERROR]; /* message for people */
};

/* Called by the process: the agent, until it has left again. head lies in the process's own memory. */
void inftrace_inject(const struct ferry_head *head);

#endif
