/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Everything that an agent has left in its segment so far, as events. Needs no source and no tree of processes:
 * recorded_open, then recorded_drain as often as wanted, recorded_close.
 */
#ifndef CAPTURE_DECODE_RECORDED_DRAIN_H
#define CAPTURE_DECODE_RECORDED_DRAIN_H

#include "capture/decode/recorded.h"

/* One round over one process or several. */
struct recorded_drain {
	struct sink *out;
	uint64_t now_ns; /* of what bears no time of its own: losses, runtimes; CLOCK_MONOTONIC */
	bool is_last;	 /* nothing more is to come: nothing is held back to be put in the order of time */
	unsigned fill;	 /* the fullest ring so far, in percent */
};

/* 0, -ENOMEM and err, or the sink's error. At most one lap of each ring: a fast writer does not keep it from returning.
 */
int recorded_drain(struct recorded *process, struct recorded_drain *drain, struct err *err);

#endif
