/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The channel between the watcher and the child of a door: batches one way, each in a memory file of its own, short
 * texts the other way. Neither side ever waits for the other: a batch that finds no room is dropped by its sender.
 * Closed by the watcher, however it ends, it ends the child.
 */
#ifndef FLEET_DOOR_CHANNEL_H
#define FLEET_DOOR_CHANNEL_H

#include <stdbool.h>

#include "fleet/door/door.h"

/* What the child has received. Zeroed: nothing. */
struct channel_batch {
	struct door_batch head;
	const char *section[DOOR_SECTIONS]; /* NULL: it has no bytes */
	void *mapped;
	size_t size;
};

/* Both ends, [0] for the watcher. 0, or -errno and err. */
int channel_open(int ends[2], struct err *err);

/* ---- the watcher ---- */

/* The batch as a memory file; -1: out of memory. */
int channel_make(const struct door *door, const struct door_in *in, struct door_batch *head);
/* Hands it over and closes it. 0; -EAGAIN: no room; another -errno: the child is gone. */
int channel_send(int channel, int file);
/* A text of the child, as long as there are some. true: text is one. *is_over: the child is gone. */
bool channel_read_text(int channel, char *text, size_t size, bool *is_over);

/* ---- the child ---- */

/* 1: a batch, which channel_release gives back; 0: none now; -1: the watcher has ended. */
int channel_receive(int channel, struct channel_batch *batch);
void channel_release(struct channel_batch *batch);
/* A sentence without its full stop, that the watcher prints. Dropped where there is no room. */
__attribute__((format(printf, 2, 3))) void channel_tell(int channel, const char *format, ...);

#endif
