/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sample of a thread, an EVENT_SAMPLE: what it did, and where. It stands for a stretch of time that ends at the
 * event's time and begins where the thread's sample before ended; a thread that did not run meanwhile gets one sample
 * for all of it. The stretches of a thread do not overlap; between two of them the thread was not looked at.
 *
 * event->track is the track of the thread's process. The samples of one thread come in the order of time, but in no
 * order with other events of the track. All threads of a process that are sampled at once have the same time.
 */
#ifndef EVENT_SAMPLE_H
#define EVENT_SAMPLE_H

#include <stdint.h>

/* What the thread did at the time: F(SAMPLE_<NAME>, word in files and tables). Add at the end. */
#define SAMPLE_STATES(F) \
	F(UNKNOWN, "unknown") /* it could not be read */ \
	F(RAN, "ran") \
	F(QUEUED, "waited for a CPU") \
	F(GIL, "waited for the GIL")	    /* of CPython; holder: who has it */ \
	F(LOCK, "waited for a thread")	    /* in a futex: a lock, a condition, a thread's end */ \
	F(CALL, "blocked in a system call") /* call; object: of its descriptor */ \
	F(SLEPT, "slept")		    /* as it asked to, for a time */ \
	F(FAULT, "waited for memory")	    /* uninterruptible, outside of a system call: mostly a page from disk */ \
	F(STOPPED, "was stopped")	    /* by a signal, a tracer or the freezer of its cgroup; call: EVENT_HALT_* */

#define SAMPLE_STATE_ENUM(name, text) SAMPLE_##name,
enum sample_state { SAMPLE_STATES(SAMPLE_STATE_ENUM) N_SAMPLE_STATES };

enum sample_flag {
	SAMPLE_TORN = 1,      /* its stack changed while it was read, and is left out */
	SAMPLE_CUT = 2,	      /* its stack has more frames further out */
	SAMPLE_NO_PYTHON = 4, /* it runs Python that cannot be read */
	SAMPLE_TRACED = 8,    /* Python calls a function of a profiler, debugger or coverage tool in it */
};

/* Texts are ids of the stream's names, stacks of its callstacks (event/callstack.h); 0: none, or not known. */
struct event_sample {
	uint64_t weight_ns;   /* the stretch that it stands for */
	uint64_t cpu_ns;      /* of it, the thread ran; exact where state is not SAMPLE_UNKNOWN */
	uint64_t queue_ns;    /* of it, the thread waited for a CPU */
	int32_t tid;	      /* with the process, the thread */
	uint32_t thread_name; /* as the kernel has it; it may change from sample to sample */
	uint32_t stack;	      /* innermost frame first */
	uint32_t call;	      /* text: "recvfrom", "futex" */
	uint32_t object;      /* text: path of a file, "10.0.0.7:443", "pipe" */
	int32_t holder_tid;   /* SAMPLE_GIL */
	uint32_t holder_stack;
	uint8_t state; /* enum sample_state */
	uint8_t flags; /* enum sample_flag */
};

/* Static; "" when out of range. */
const char *sample_state_name(unsigned state);

#endif
