/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sessions of a recorded process, by their number in it. A program may create and release one for each request:
 * what is known of a session is forgotten some rounds after its release, when nothing of it can come any more. One
 * thread.
 */
#ifndef CAPTURE_DECODE_SESSIONS_H
#define CAPTURE_DECODE_SESSIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slots.h"
#include "event/record.h"

struct session {
	uint64_t number;	  /* 0: a free slot, or the unknown session */
	uint32_t model, creating; /* name of the group, now and during its creation */
	uint32_t path, providers, options, runtime;
	int64_t bytes;
	uint32_t n_pool;  /* pool threads that its creation started; 0: none, or not known */
	uint64_t pool_ns; /* CPU time that they used meanwhile */
	uint64_t wait_ns; /* with has_wait: of the slice of its creation that ends next */
	bool has_wait;
	uint64_t n_inferences; /* that were put: numbered in the order of time */
	uint64_t object;       /* address of the runtime's object in the process; 0: not known */
	bool is_noted;	       /* with what is known of it */
	/* the caller's, if it records from outside */
	bool is_named, has_run, was_created;
};

struct sessions {
	struct slots living; /* of struct session, by number */
	struct session unknown;
	struct session_gone {
		uint32_t number;
		uint64_t round;
	} *gone; /* the released ones, in order */
	size_t n_gone, gone_capacity;
	uint64_t round;
};

/*
 * Finds or makes it. Number 0, and all that do not find room among the million that may live at once, are the unknown
 * session. NULL: out of memory. Valid until the next call.
 */
struct session *sessions_at(struct sessions *sessions, uint32_t number);
/* NULL: it is not known, or not any more. */
const struct session *sessions_find(const struct sessions *sessions, uint32_t number);
/* A record of its creation: threads of its pool, or waits for a CPU. 0, or -ENOMEM. */
int sessions_take(struct sessions *sessions, const struct record *record);
/* It was released: its number does not come back. */
void sessions_release(struct sessions *sessions, uint32_t number);
/* All that was written when the last round began has been read. */
void sessions_end_round(struct sessions *sessions);
void sessions_done(struct sessions *sessions);

#endif
