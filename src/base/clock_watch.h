/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Notices what happens to the system's clocks between two looks: a suspend, during which CLOCK_BOOTTIME goes on and
 * CLOCK_MONOTONIC does not, and a CLOCK_REALTIME that is set. Slewing (NTP) moves all of them and is neither.
 */
#ifndef BASE_CLOCK_WATCH_H
#define BASE_CLOCK_WATCH_H

#include "base/clock.h"

/* Zeroed but for the reader: the first update takes the clocks as they are. */
struct clock_watch {
	const struct clock_reader *reader; /* NULL: the system's clocks */
	bool has_begun;
	uint64_t last_ns;	  /* CLOCK_MONOTONIC at the last update */
	int64_t boot_ns, real_ns; /* CLOCK_BOOTTIME from CLOCK_MONOTONIC, CLOCK_REALTIME from CLOCK_BOOTTIME */
};

struct clock_change {
	uint64_t from_ns, to_ns; /* CLOCK_MONOTONIC at the two looks */
	int64_t slept_ns;	 /* 0: it was not suspended, or for less than CLOCK_JUMP_NS */
	int64_t set_ns;		 /* by how far CLOCK_REALTIME was set; 0: it was not */
};

/* Whether anything has happened since the last update. */
bool clock_watch_update(struct clock_watch *watch, struct clock_change *change);

#endif
