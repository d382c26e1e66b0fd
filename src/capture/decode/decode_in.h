/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this room share. Private to it, and to those that feed it. */
#ifndef CAPTURE_DECODE_DECODE_IN_H
#define CAPTURE_DECODE_DECODE_IN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "capture/decode/recorded.h"
#include "capture/decode/records.h"

/* What tells a model's file from another one under the same path. Keeps no state. */

/* "8:1 1048576 1764280000.123456789": device, bytes and last change of the file that the process finds under a path.
 * false: it cannot be read. */
bool model_file_stamp(pid_t pid, const char *path, char *text, size_t size, int64_t *bytes);

/*
 * Writes what a process's memory.h knows: counters of what each session has in use and its arenas hold, an instant for
 * each growth of an arena, and notes of the sums. How much is written does not depend on the number of allocations: of
 * each counter the highest and the last value since the last call, of each session's sums one note a second at most.
 */

/* Notes get the time now_ns. is_last: writes all that has changed. 0, or the sink's error. */
int memory_tell(struct recorded *process, struct sink *out, uint64_t now_ns, bool is_last, struct err *err);

/*
 * Records that a program writes about itself (slices, instants, counters), and flows. Slices and instants get a lane of
 * their own below their thread, because they need not nest with the operators there. Counters get a group in the
 * process, so that they cannot be mistaken for the recorder's.
 */
enum { ANNOTATIONS_FLOWS = READER_FLOWS };

/* RECORD_USER_*. 0, -ENOMEM, or the sink's error. */
int annotations_take(const struct records_step *step);
/* RECORD_FLOW: kept until the slice that it ties arrives. */
void annotations_add_flow(const struct records_step *step);
/* Moves the flows that lie in from_ns..to_ns into args, which has room for ANNOTATIONS_FLOWS; returns how many. */
size_t annotations_take_flows(struct reader *reader, uint64_t from_ns, uint64_t to_ns, struct arg *args);

#endif
