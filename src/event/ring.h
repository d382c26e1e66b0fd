/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hot path: a thread puts a record into its ring.
 *
 * Single producer, single consumer. The producer writes the record, then publishes it with a release store of head. The
 * consumer loads head with acquire, reads, and frees the room with a release store of tail. Published records survive
 * the death of either side. The producer reads tail only when it reaches `limit`, the last position known to be free;
 * ring_refill is that slow path. The last eighth of a ring is kept for records that others depend on (begin and end of
 * runs and sessions).
 *
 * A signal handler that interrupts a claim and also wants to record finds `busy` set and gets nothing: the record is
 * counted as lost. No locks, no system calls, no allocation.
 */
#ifndef EVENT_RING_H
#define EVENT_RING_H

#include <stdbool.h>
#include <stddef.h>

#include "event/record.h"

struct ring_writer {
	struct ring *ring; /* NULL: the thread has no ring */
	struct record *data;
	uint64_t mask; /* records in the ring less one */
	uint64_t head;
	uint64_t limit;	   /* head may go up to here without reading tail */
	uint64_t reported; /* losses already written as RECORD_LOST */
	uint32_t busy;
};

static inline struct record *ring_data(struct ring *ring)
{
	return (struct record *)((char *)ring + RING_HEADER);
}

static inline void ring_use(struct ring_writer *writer, struct ring *ring, uint64_t bytes)
{
	writer->ring = ring;
	writer->data = ring_data(ring);
	writer->mask = bytes / sizeof(struct record) - 1;
	writer->head = __atomic_load_n(&ring->head, __ATOMIC_RELAXED);
	writer->limit = writer->head;
	writer->reported = ring->lost;
	writer->busy = 0;
}

/* Up to where all who read the ring have read it. */
static inline uint64_t ring_tail(const struct ring *ring)
{
	uint64_t tail = __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE), own;

	if (!__atomic_load_n(&ring->is_shared, __ATOMIC_ACQUIRE))
		return tail;
	own = __atomic_load_n(&ring->own_tail, __ATOMIC_ACQUIRE);
	return own < tail ? own : tail;
}

/* The number of records that are not read yet. */
static inline uint64_t ring_fill(const struct ring_writer *writer)
{
	return writer->head - ring_tail(writer->ring);
}

static inline void ring_lose(struct ring_writer *writer)
{
	__atomic_store_n(&writer->ring->lost, writer->ring->lost + 1, __ATOMIC_RELAXED);
}

/*
 * The number of records that head may advance now; 0: no room. Leaves `keep` records free for ring_claim_kept. Not
 * inline: it is the slow path.
 */
uint64_t ring_refill(struct ring_writer *writer, uint64_t keep);

/* The next record to fill, or NULL (counted as lost). ring_publish must follow. */
static inline struct record *ring_claim(struct ring_writer *writer)
{
	if (__builtin_expect(writer->busy | (writer->head >= writer->limit), 0)) {
		if (writer->busy || !ring_refill(writer, (writer->mask + 1) / 8)) {
			ring_lose(writer);
			return NULL;
		}
	}
	writer->busy = 1;
	__asm__ volatile("" ::: "memory");
	return &writer->data[writer->head & writer->mask];
}

/* The same for a record that others depend on: it may use the last eighth. */
struct record *ring_claim_kept(struct ring_writer *writer);

static inline void ring_publish(struct ring_writer *writer)
{
	__atomic_store_n(&writer->ring->head, ++writer->head, __ATOMIC_RELEASE);
	__asm__ volatile("" ::: "memory");
	writer->busy = 0;
}

/*
 * For the consumer: records of the ring from the position `tail` on, oldest first, without a copy; *n_records is 0 when
 * there is nothing new. The pointer is into the ring and stays valid until ring_read_done(n). size comes from the
 * segment's directory. An impossible head (a broken writer) reads as nothing.
 */
const struct record *ring_read_at(struct ring *ring, uint64_t size, uint64_t tail, size_t *n_records);
void ring_read_done(struct ring *ring, size_t n_records);

#endif
