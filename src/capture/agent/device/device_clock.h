/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The clock of a device's library against ours: one that runs on without being set, at nearly our rate. Both are read
 * at each delivery; a time between two looks is put between them. All calls under one lock, by the caller.
 */
#ifndef CAPTURE_AGENT_DEVICE_DEVICE_CLOCK_H
#define CAPTURE_AGENT_DEVICE_DEVICE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

enum { CLOCK_PAIRS = 64 };

struct device_clock {
	bool (*read)(uint64_t *theirs);
	struct {
		uint64_t theirs, ours;
	} pair[CLOCK_PAIRS]; /* the last ones; number n lies at n % CLOCK_PAIRS */
	uint32_t n, n_steps; /* n_steps: how often theirs went back */
	uint64_t error_ns;
};

void device_clock_start(struct device_clock *clock, bool (*read)(uint64_t *theirs));
void device_clock_look(struct device_clock *clock);
/* 0: not known. */
uint64_t device_clock_ns(const struct device_clock *clock, uint64_t theirs);

#endif
