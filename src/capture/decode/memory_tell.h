/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes what a process's memory.h knows: counters of what each session has in use and its arenas hold, an instant for
 * each growth of an arena, and notes of the sums. How much is written does not depend on the number of allocations: of
 * each counter the highest and the last value since the last call, of each session's sums one note a second at most.
 */
#ifndef CAPTURE_DECODE_MEMORY_TELL_H
#define CAPTURE_DECODE_MEMORY_TELL_H

#include "capture/decode/recorded.h"

/* Notes get the time now_ns. is_last: writes all that has changed. 0, or the sink's error. */
int memory_tell(struct recorded *process, struct sink *out, uint64_t now_ns, bool is_last, struct err *err);

#endif
