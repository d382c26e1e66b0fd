/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a recording's packets in a thread of its own, so that a disk that stalls does not keep the recorder from
 * draining its rings. The queue between them is bounded: when it is full, whoever fills it waits.
 *
 *   perfetto_write.c --packets--> block --queue--> thread: compress, write --> file
 *
 * The thread starts with the first block and blocks all signals. It is the only one that uses the file from then on.
 */
#ifndef TRACE_PERFETTO_PERFETTO_QUEUE_H
#define TRACE_PERFETTO_PERFETTO_QUEUE_H

#include "trace/perfetto/perfetto_file.h"

enum { PERFETTO_BLOCK = 256 << 10 }; /* also the largest compressed bundle, but for a single packet above it */

struct perfetto_queue;

/* A buffer from malloc; data NULL: none. */
struct perfetto_block {
	uint8_t *data;
	size_t len, size;
};

/* file is borrowed. NULL and err: out of memory. */
struct perfetto_queue *perfetto_queue_new(struct perfetto_file *file, size_t max_blocks, struct err *err);
/*
 * Takes the block's packets over and leaves it an empty buffer. When the queue is full it waits if must_wait is set;
 * else the block stays as it is, as does one that is less than half full while others wait: small ones would fill the
 * queue. 0, or -errno and err: of an earlier block, or out of memory.
 */
int perfetto_queue_pass(struct perfetto_queue *queue, struct perfetto_block *block, bool must_wait, struct err *err);
/* Waits until everything is written. 0, or -errno and err. */
int perfetto_queue_wait(struct perfetto_queue *queue, struct err *err);
/* Written so far. */
uint64_t perfetto_queue_bytes(struct perfetto_queue *queue);
/* Writes what it has taken over and ends the thread. NULL does nothing. */
void perfetto_queue_free(struct perfetto_queue *queue);

#endif
