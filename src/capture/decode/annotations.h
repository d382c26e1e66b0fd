/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records that a program writes about itself (slices, instants, counters), and flows. Slices and instants get a lane of
 * their own below their thread, because they need not nest with the operators there. Counters get a group in the
 * process, so that they cannot be mistaken for the recorder's.
 */
#ifndef CAPTURE_DECODE_ANNOTATIONS_H
#define CAPTURE_DECODE_ANNOTATIONS_H

#include "capture/decode/records.h"

enum { ANNOTATIONS_FLOWS = READER_FLOWS };

/* RECORD_USER_*. 0, -ENOMEM, or the sink's error. */
int annotations_take(const struct records_step *step);
/* RECORD_FLOW: kept until the slice that it ties arrives. */
void annotations_add_flow(const struct records_step *step);
/* Moves the flows that lie in from_ns..to_ns into args, which has room for ANNOTATIONS_FLOWS; returns how many. */
size_t annotations_take_flows(struct reader *reader, uint64_t from_ns, uint64_t to_ns, struct arg *args);

#endif
