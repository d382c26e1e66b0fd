/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the recorder reports while it records: texts and figures, handed to a callback of the caller. The recorder
 * prints nothing itself. Called on the recorder's thread; texts are borrowed for the call, and may hold bytes that a
 * terminal obeys (names of programs and files): see err_disarm.
 */
#ifndef CAPTURE_RECORDER_SAY_H
#define CAPTURE_RECORDER_SAY_H

#include <stdbool.h>
#include <stdint.h>

enum say_severity {
	SAY_INFO,    /* what happens: recording has begun, a program is idle; --quiet leaves it out */
	SAY_WARNING, /* something is missing from the recording */
};

/* How far the recording is. Words are made of it by the caller. */
struct say_progress {
	uint64_t elapsed_ns; /* 0: the first program has not come yet */
	uint64_t n_inferences, n_processes;
	uint64_t n_events, n_lost;
	uint64_t n_bytes;	    /* handed over by the sinks */
	uint64_t left_bytes;	    /* may still be written to the disk; UINT64_MAX: unknown */
	uint64_t median_ns, p99_ns; /* of inferences so far, as in latency.h; 0: none has ended */
	bool is_over;		    /* the last call: the recording has ended */
};

/* Functions may be NULL: then nobody listens. A zeroed struct is silent. */
struct say {
	void (*text)(void *ctx, enum say_severity severity, const char *text);
	void (*progress)(void *ctx, const struct say_progress *progress); /* about twice a second */
	void *ctx;
};

__attribute__((format(printf, 2, 3))) void say_info(const struct say *say, const char *format, ...);
__attribute__((format(printf, 2, 3))) void say_warning(const struct say *say, const char *format, ...);
void say_progress(const struct say *say, const struct say_progress *progress);

#endif
