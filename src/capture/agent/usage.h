/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a thread used during an inference: CPU time, time it waited for a CPU, page faults, context switches, and what
 * it read from disks. Recorded of each inference at level detail, and at the others of sessions whose inferences take
 * so long that it is free. Of shorter ones, a sample and the slow ones are recorded.
 */
#ifndef CAPTURE_AGENT_USAGE_H
#define CAPTURE_AGENT_USAGE_H

#include <stdbool.h>
#include <stdint.h>

struct open_run;
struct thread;

/* The two readings of an inference cost at most this part of its time, and those of its wait as much: 0.5 % in all. */
enum { USAGE_SHARE = 400 };

/* What a thread has used up to a moment. */
struct usage {
	uint64_t cpu_ns, wait_ns, faults, switches;
	uint64_t sleeps;	 /* of the switches, those that the thread asked for */
	uint64_t major, blocks;	 /* of the faults, those that waited for a disk; blocks of 512 bytes read from disks */
	bool is_known, has_wait; /* wait_ns is known only with has_wait */
};

/* The last wait for a CPU that was read of a thread. */
struct usage_wait {
	bool is_known;
	uint64_t ns, switches; /* how often it had been switched out by then */
	uint64_t savings;      /* ticks, for reading it again */
	uint64_t sleeps;       /* when it was last looked at, */
	uint64_t given_at;     /* ticks: when a reading was last given to it, without savings */
};

/* Of inferences that are too short for a reading each. */
struct usage_mark {
	uint64_t at;	    /* ticks */
	uint64_t last_end;  /* ticks: of the last such inference */
	struct usage usage; /* then */
	uint64_t usual;	    /* ticks: what such inferences take on this thread; 0: none has ended */
	uint32_t n;
};

/* Measures what reading costs, once in a process, and tells the recorder. When a runtime is armed. */
void usage_measure(void);
/* A thread that needs so long for one of these readings has lost its CPU. */
uint64_t usage_lost_ticks(void);
/* At the begin of an inference, once its session is known. */
void usage_begin(struct thread *thread, struct open_run *run);
/* When the runtime has ended it, at `end` ticks; writes a record. */
void usage_end(struct thread *thread, struct open_run *run, uint64_t end);

/* The waits of a thread for a CPU, looked at again and again outside of inferences. All zero: not looked at so far. */
struct usage_clock {
	bool is_known;
	uint64_t ns, switches; /* when it was last looked at */
};

/* What the calling thread has waited since the last call for this clock; 0: nothing, or not known. */
uint64_t usage_waited(struct usage_clock *clock);
/*
 * What the clock of the calling thread shows holds for its next inference, too, whose end may be read: the first one of
 * the session that took all the time until now.
 */
void usage_hand_on(struct thread *thread, const struct usage_clock *clock);

#endif
