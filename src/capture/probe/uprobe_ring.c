// SPDX-License-Identifier: Apache-2.0
/* Knows the layout of the ring, not of the records. */
#include "capture/probe/uprobe_ring.h"

enum { HEADER = 8 };
#define BUSY (1u << 31)
#define DISCARDED (1u << 30)

void uprobe_ring_look(struct uprobe_ring *ring)
{
	ring->end = __atomic_load_n(ring->producer, __ATOMIC_ACQUIRE);
	ring->is_waiting = false;
	/* positions that make no sense are read as nothing */
	if (ring->end < ring->at || ring->end - ring->at > ring->mask + 1)
		ring->end = ring->at;
}

const void *uprobe_ring_next(struct uprobe_ring *ring, size_t *size)
{
	while (ring->end - ring->at >= HEADER && !ring->is_waiting) {
		const uint8_t *record = ring->data + (ring->at & ring->mask);
		uint32_t head = __atomic_load_n((const uint32_t *)record, __ATOMIC_ACQUIRE);
		uint64_t length = head & ~(BUSY | DISCARDED), room = (length + HEADER + 7) & ~7ull;

		if ((head & BUSY) || room > ring->end - ring->at) {
			ring->is_waiting = true;
			break;
		}
		ring->at += room;
		if (head & DISCARDED)
			continue;
		*size = length;
		return record + HEADER;
	}
	return NULL;
}

void uprobe_ring_done(struct uprobe_ring *ring)
{
	__atomic_store_n(ring->consumer, ring->at, __ATOMIC_RELEASE);
}
