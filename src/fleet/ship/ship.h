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
	int channel; /* -1: it has ended */
	uint64_t number, n_dropped, n_sent;
	uint64_t n_dropped_before;
	bool was_stuck;
};

/* Starts it and waits until the door is open. opts are the door's. 0, or -errno and err: what the door says. */
int ship_start(struct ship *ship, const struct door *door, const void *opts, struct err *err);
/* Never waits. */
void ship_send(struct ship *ship, const struct door_in *in);
/* A text that the child, or the lack of it, has to report; false: none. */
bool ship_read_text(struct ship *ship, char *text, size_t size);
/* No more comes. Waits for the child to end for some seconds, then ends it. NULL-safe; zeroed: was never started. */
void ship_end(struct ship *ship);

#endif
