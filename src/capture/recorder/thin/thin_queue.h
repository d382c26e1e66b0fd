/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The events of one track that wait for a decision, in their order. A group is an operator with everything inside it,
 * or a single event that only waits for its turn. For thin.c.
 */
#ifndef CAPTURE_RECORDER_THIN_QUEUE_H
#define CAPTURE_RECORDER_THIN_QUEUE_H

#include <stdbool.h>

#include "event/sink.h"

struct thin_group {
	uint64_t key; /* of the inference; 0: it waits for nothing */
	uint64_t time_ns;
	uint32_t n_bytes, n_operators;
};

struct thin_queue {
	uint8_t *data;
	size_t begin, end, size; /* bytes */
	size_t last;		 /* where the last group begins */
};

/* Begins a group; thin_queue_add adds events to it. 0, or -ENOMEM. */
int thin_queue_open(struct thin_queue *queue, uint64_t key, uint64_t time_ns);
int thin_queue_add(struct thin_queue *queue, const struct event *event);
/* The first group; NULL: there is none. Valid until the queue changes. */
const struct thin_group *thin_queue_first(const struct thin_queue *queue);
/* Whether the first is the last. */
bool thin_queue_is_single(const struct thin_queue *queue);
/* Takes the first group out, and puts its events into `out` unless that is NULL. 0, or what the sink returned. */
int thin_queue_take(struct thin_queue *queue, uint32_t track, struct sink *out, struct err *err);
void thin_queue_done(struct thin_queue *queue);

static inline size_t thin_queue_bytes(const struct thin_queue *queue)
{
	return queue->end - queue->begin;
}

#endif
