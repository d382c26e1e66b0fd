/* SPDX-License-Identifier: Apache-2.0 */
/* What recording costs: an event in the program, and the recorder itself. */
#ifndef CAPTURE_RECORDER_RECORDER_COST_H
#define CAPTURE_RECORDER_RECORDER_COST_H

#include <stdint.h>

/* What one event costs in a program with the agent in it: two clocks and a record. */
double recorder_cost_event_ns(void);
/* What a page fault that needs no disk takes here: a page of zeroes; 0: not known. */
double recorder_cost_fault_ns(void);
/* Peak of resident memory; 0: not known. */
int64_t recorder_cost_peak_bytes(void);
/* CPU time so far; whose: RUSAGE_SELF, or RUSAGE_CHILDREN: of those that have been waited for. */
uint64_t recorder_cost_cpu_ns(int whose);

#endif
