/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads everything that an agent has written to its segment so far, as events. Needs no source and no tree of
 * processes: recorded_open, then recorded_drain any number of times, recorded_close.
 */
#ifndef CAPTURE_DECODE_RECORDED_DRAIN_H
#define CAPTURE_DECODE_RECORDED_DRAIN_H

#include "capture/decode/recorded.h"

/* One round over one process or several. */
struct recorded_drain {
	struct sink *out;
	uint64_t now_ns; /* time of events without one (losses, runtimes); CLOCK_MONOTONIC */
	bool is_last;	 /* the last round: nothing is held back for sorting */
	unsigned fill;	 /* the fullest ring so far, in percent */
};

/*
 * 0, -ENOMEM and err, or the sink's error. Reads at most one lap of each ring, so that a fast writer cannot keep it
 * from returning.
 */
int recorded_drain(struct recorded *process, struct recorded_drain *drain, struct err *err);

/*
 * Puts the gathered events of all threads up to until_ns (UINT64_MAX: the last ones), in the order of time; notes get
 * the time now_ns. 0, -ENOMEM, or the sink's error.
 */
int recorded_put(struct recorded *process, struct sink *out, uint64_t until_ns, uint64_t now_ns, struct err *err);

#endif
