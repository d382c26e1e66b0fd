/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records of an agent as events: operators go to the track of their thread as they come, sessions and
 * inferences are gathered for their lanes (lanes.h), allocations for their counters (memory.h). Annotations are in
 * annotations.c.
 */
#ifndef CAPTURE_DECODE_RECORDS_H
#define CAPTURE_DECODE_RECORDS_H

#include "capture/decode/recorded.h"

/* One record on its way to events; everything is borrowed. */
struct records_step {
	struct recorded *process;
	struct reader *reader;
	const struct record *record;
	struct sink *out;
	uint64_t now_ns;
	struct err *err;
};

/* 0, -ENOMEM, or the sink's error. A record that makes no sense is no event. */
int records_take(const struct records_step *step);

#endif
