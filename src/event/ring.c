// SPDX-License-Identifier: Apache-2.0
/* The slow paths of the ring, and its reader. See ring.h for how it works. */
#include "event/ring.h"

/* There is room again: records here how many are missing. */
static void tell_losses(struct ring_writer *writer)
{
	uint64_t lost;

	writer->busy = 1;
	__asm__ volatile("" ::: "memory");
	lost = writer->ring->lost - writer->reported;
	if (lost) {
		writer->data[writer->head & writer->mask] = (struct record){ .type = RECORD_LOST, .value = lost };
		writer->reported += lost;
		__atomic_store_n(&writer->ring->head, ++writer->head, __ATOMIC_RELEASE);
	}
	__asm__ volatile("" ::: "memory");
	writer->busy = 0;
}

uint64_t ring_refill(struct ring_writer *writer, uint64_t keep)
{
	uint64_t size = writer->mask + 1, fill = ring_fill(writer);

	if (fill + keep + 1 >= size)
		return 0;
	writer->limit = writer->head + (size - keep - fill);
	if (keep)
		tell_losses(writer);
	return writer->limit > writer->head ? writer->limit : 0;
}

struct record *ring_claim_kept(struct ring_writer *writer)
{
	bool must_ask = writer->head >= writer->limit;

	if (writer->busy || (must_ask && !ring_refill(writer, 0))) {
		ring_lose(writer);
		return NULL;
	}
	/* writers must check again: the new limit is in the part reserved for kept records */
	if (must_ask)
		writer->limit = writer->head;
	writer->busy = 1;
	__asm__ volatile("" ::: "memory");
	return &writer->data[writer->head & writer->mask];
}

const struct record *ring_read_at(struct ring *ring, uint64_t size, uint64_t tail, size_t *n_records)
{
	uint64_t capacity = size / sizeof(struct record);
	uint64_t n = __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE) - tail, at;

	*n_records = 0;
	if (!capacity || n > capacity)
		return NULL;
	at = tail & (capacity - 1);
	if (n > capacity - at)
		n = capacity - at;
	*n_records = n;
	return ring_data(ring) + at;
}

void ring_read_done(struct ring *ring, size_t n_records)
{
	uint64_t tail = __atomic_load_n(&ring->tail, __ATOMIC_RELAXED);

	__atomic_store_n(&ring->tail, tail + n_records, __ATOMIC_RELEASE);
}
