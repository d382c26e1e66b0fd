/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading the kernel's BPF ring buffer, which it and we have mapped: positions count bytes and never wrap, each record
 * has 8 bytes before it (length and whether it is still being written) and is padded to 8. One thread.
 */
#ifndef CAPTURE_PROBE_UPROBE_RING_H
#define CAPTURE_PROBE_UPROBE_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct uprobe_ring {
	const uint64_t *producer;
	uint64_t *consumer;
	const uint8_t *data; /* mapped twice in a row: a record at the end goes on */
	uint64_t mask;	     /* bytes less one */
	uint64_t at;	     /* position of what is read next */
	uint64_t end;	     /* of what is there in this round */
	bool is_waiting;     /* the round ended at a record that is still being written */
};

/* Begins a round: what is there now. */
void uprobe_ring_look(struct uprobe_ring *ring);
/* The next record of this round and its length, NULL: none. Stays good until uprobe_ring_done. */
const void *uprobe_ring_next(struct uprobe_ring *ring, size_t *size);
/* Gives the room of what was read back. */
void uprobe_ring_done(struct uprobe_ring *ring);

#endif
