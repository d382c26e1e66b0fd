/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls that may never return, because they touch a file that somebody else serves (FUSE, NFS): on a thread of their
 * own, so that whoever waits for them can do what is due. A thread that does not come back is left behind, and the next
 * call gets another one; there are at most NEXT_READER_STUCK of them. One caller.
 */
#ifndef CAPTURE_PROBE_NEXT_READER_H
#define CAPTURE_PROBE_NEXT_READER_H

#include <stdbool.h>

enum { NEXT_READER_STUCK = 8, NEXT_READER_PATIENCE_MS = 1000, NEXT_READER_DUE_MS = 50 };

/*
 * Calls work(job) and waits until it has returned, with due(ctx) each 50 ms meanwhile. False: it takes too long, or all
 * threads are stuck. After false job and all that it leads to may be in use for ever: do not touch or free it.
 */
bool next_reader_do(void (*work)(void *job), void *job, void (*due)(void *ctx), void *ctx);

#endif
