/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The clock of a device's library against ours. Both are read at each delivery. One that is steady runs on without
 * being set, at nearly our rate: a time between two looks is put between them. A wall clock runs at our rate, and may
 * be set: a pair holds from the last look at which the pair before it was still right, and a time is read by the newest
 * pair that puts it neither before that nor after now. All calls under one lock, by the caller.
 */
#ifndef CAPTURE_AGENT_DEVICE_DEVICE_CLOCK_H
#define CAPTURE_AGENT_DEVICE_DEVICE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

enum { CLOCK_PAIRS = 64 };

enum device_clock_kind { DEVICE_CLOCK_STEADY, DEVICE_CLOCK_WALL };

struct device_clock {
	enum device_clock_kind kind;
	bool (*read)(uint64_t *theirs);
	struct {
		uint64_t theirs, ours; /* of a wall clock: theirs less ours; from when on, by ours */
	} pair[CLOCK_PAIRS];	       /* the last ones; number n lies at n % CLOCK_PAIRS */
	uint32_t n, n_steps;	       /* n_steps: how often theirs was set, or went back */
	uint64_t looked, error_ns;     /* looked: by ours */
};

void device_clock_start(struct device_clock *clock, enum device_clock_kind kind, bool (*read)(uint64_t *theirs));
void device_clock_look(struct device_clock *clock);
/* 0: not known. */
uint64_t device_clock_ns(const struct device_clock *clock, uint64_t theirs);

#endif
