/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A door: how what was watched leaves the machine. One file per door (door_<name>.c), one constant of this type per
 * file, listed by name in doors.h. A door has two halves:
 *
 *   encode   in the process with rights in the kernel: a batch as bytes, once an interval. Opens nothing.
 *   open, serve   in a child of its own without any rights (fleet/ship): opens sockets and files, gets the batches.
 */
#ifndef FLEET_DOOR_DOOR_H
#define FLEET_DOOR_DOOR_H

#include <stdio.h>

#include "base/err.h"
#include "fleet/door/metrics.h"

enum { DOOR_SECTIONS = 3, DOOR_MESSAGE = 400 };

/* A batch in memory: sections one behind the other. */
struct door_batch {
	uint64_t number;	   /* from 1 */
	uint64_t n_dropped_before; /* batches that were dropped since the one before */
	uint64_t size[DOOR_SECTIONS];
};

struct door_in {
	const struct fleet *fleet;
	const struct metrics_own *own;
};

/* Of a door that counts itself, in memory that it shares with the watcher. */
struct door_counts {
	uint64_t n_sent, n_dropped, n_waiting, spool_bytes;
	bool is_on_disk; /* what waits outlives the door */
};

/* Where a door keeps batches that wait. */
struct door_spool {
	const char *folder; /* NULL: in memory */
	uint64_t most_bytes;
};

/* What the child is given. */
struct door_child {
	const void *opts; /* of the door */
	int channel;	  /* of fleet/ship */
	void *state;
	struct door_counts *counts;
	const char *spool_path; /* NULL: in memory */
	uint64_t spool_bytes;
};

struct door {
	const char *name;
	bool keeps_user; /* it writes files of the user: the child does not become nobody */
	bool has_spool;	 /* it counts itself, and keeps what waits */
	/* Writes section `section`; false: there is none. */
	bool (*encode)(const struct door_in *in, int section, FILE *out);
	/* In the child, before its last rights are gone. 0, or -errno and err: watching does not begin. */
	int (*open)(struct door_child *child, struct err *err);
	/* In the child, until the channel ends. */
	void (*serve)(struct door_child *child);
};

#endif
