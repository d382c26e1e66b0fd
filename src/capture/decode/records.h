/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns an agent's records into events: operators go to the track of their thread at once, sessions and inferences are
 * gathered for their lanes (lanes.h), allocations for their counters (memory.h). annotations.c handles annotations.
 */
#ifndef CAPTURE_DECODE_RECORDS_H
#define CAPTURE_DECODE_RECORDS_H

#include "capture/decode/recorded.h"

/* One record being converted; everything is borrowed. */
struct records_step {
	struct recorded *process;
	struct reader *reader;
	const struct record *record;
	struct sink *out;
	uint64_t now_ns;
	struct err *err;
};

/* 0, -ENOMEM, or the sink's error. An invalid record is ignored. */
int records_take(const struct records_step *step);
/* The same for each of these records of one ring, in their order. step->record is free to change. */
int records_take_all(struct records_step *step, const struct record *records, size_t n);

#endif
