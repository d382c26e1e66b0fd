/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much is to be thinned out: so much that the recording fits on the disk for `horizon_ns`, at the rate at which it
 * grows. N doubles with each look until it does, and halves when it would do with twice as much, too. The first
 * `whole_bytes` of a recording keep all operators, so that a short one is whole at any rate. For thin.c.
 */
#ifndef CAPTURE_RECORDER_THIN_PACE_H
#define CAPTURE_RECORDER_THIN_PACE_H

#include <stdint.h>

#define THIN_LOOK_NS UINT64_C(1000000000)

struct thin_pace {
	uint64_t horizon_ns, whole_bytes;
	uint64_t looked_ns, looked_bytes; /* at the last look; 0: none yet */
	double rate;			  /* bytes a second, of the last few looks */
};

/* What the disk has to offer. */
struct thin_room {
	uint64_t left_bytes; /* may still be written; UINT64_MAX: it is not known */
	uint64_t kept_bytes; /* that will be dropped by the time horizon_ns is over */
};

/* N for now; n_bytes: written so far. Looks once a second, and returns `every` in between. */
uint32_t thin_pace_look(struct thin_pace *pace, uint64_t now_ns, uint64_t n_bytes, const struct thin_room *room,
			uint32_t every);

#endif
