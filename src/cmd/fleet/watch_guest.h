/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `inftrace watch` does on the recorder's thread while programs are watched: ends intervals, hands batches to
 * doors, passes on what they report. Records nothing itself.
 */
#ifndef CMD_FLEET_WATCH_GUEST_H
#define CMD_FLEET_WATCH_GUEST_H

#include "capture/recorder/recorder.h"
#include "fleet/aggregate/fleet.h"
#include "fleet/ship/ship.h"

enum { WATCH_SHIPS = METRICS_DOORS, WATCH_SAID = 64 };

struct watch_guest_opts {
	uint64_t interval_ns;
	size_t max_series;
	bool is_quiet;
};

struct watch_guest {
	struct watch_guest_opts opts;
	struct fleet *fleet;
	struct metrics_own own;
	struct door_spool spool; /* of doors that have one; set before they are opened */
	struct ship ship[WATCH_SHIPS];
	size_t n_ships;
	struct recorder_guest guest;
	void (*begun)(void *ctx); /* called once every program that starts from now on is seen; NULL: nobody listens */
	void *begun_ctx;
	/* Fills the newest recording of what was worth it; NULL: there never is one. */
	void (*recorded)(void *ctx, struct fleet_recording *recording);
	void *recorded_ctx;
	int epoll, timer;
	uint64_t said[WATCH_SAID]; /* hashes of warnings that were printed: each is, once */
	size_t n_said;
	struct err err; /* why it is over; code 0: it is not */
};

/* Opens a door; before anything is watched. 0, or -errno and err; watch_guest_done also then. */
int watch_guest_open(struct watch_guest *guest, const struct door *door, const void *opts, struct err *err);
/* names, last_track: of the stream. The same results. */
int watch_guest_begin(struct watch_guest *guest, const struct watch_guest_opts *opts, struct names *names,
		      uint32_t *last_track, struct err *err);
struct say watch_guest_say(struct watch_guest *guest);
/* The last interval ends. */
void watch_guest_end(struct watch_guest *guest);
void watch_guest_done(struct watch_guest *guest);

#endif
