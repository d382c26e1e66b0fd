/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The child of a door, from the watcher's side: starts it without any rights, hands it a batch an interval, passes on
 * what it reports. A door that is stuck, slow or gone costs the watcher its batches and nothing else. The child
 * outlives a watcher that was killed for as long as it has batches to write. One thread.
 */
#ifndef FLEET_SHIP_SHIP_H
#define FLEET_SHIP_SHIP_H

#include <sys/types.h>

#include "fleet/door/door.h"

struct ship {
	const struct door *door;
	pid_t pid;
	int channel;			    /* -1: it has ended */
	struct door_counts *counts;	    /* shared with the child */
	uint64_t number, n_dropped, n_sent; /* handed over, or not */
	uint64_t n_dropped_before;
};

/* What has become of the batches so far. Those that are handed over are sent, where the door does not count itself. */
struct ship_counts {
	uint64_t n_sent, n_dropped, n_waiting, spool_bytes;
	bool is_on_disk;
};

/* What a door is started with. */
struct ship_opts {
	const struct door *door;
	const void *opts; /* of the door */
	struct door_spool spool;
};

/* Starts it and waits until the door is open. 0, or -errno and err: what the door says. */
int ship_start(struct ship *ship, const struct ship_opts *opts, struct err *err);
struct ship_counts ship_counts(const struct ship *ship);
/* Never waits. */
void ship_send(struct ship *ship, const struct door_in *in);
/* A text that the child, or the lack of it, has to report; false: none. */
bool ship_read_text(struct ship *ship, char *text, size_t size);
/* No more comes. Waits for the child to end for some seconds, then ends it. NULL-safe; zeroed: was never started. */
void ship_end(struct ship *ship);

#endif
