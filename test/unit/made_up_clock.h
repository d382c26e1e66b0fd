/* SPDX-License-Identifier: Apache-2.0 */
/* Clocks that a test sets: the processor's counter and the kernel's three. Each reading takes 100 ns. */
#ifndef TEST_UNIT_MADE_UP_CLOCK_H
#define TEST_UNIT_MADE_UP_CLOCK_H

#include "base/clock.h"

enum { READING_NS = 100, PAIR_READINGS = 8 };

struct made_up_clock {
	double ticks, rate; /* ticks per ns */
	uint64_t mono_ns, boot_ns, real_ns;
	uint64_t pause_ns; /* before each pair of ticks and time */
	int n_readings;
	struct clock_reader reader;
};

static inline void made_up_pass(struct made_up_clock *clock, uint64_t ns)
{
	clock->ticks += (double)ns * clock->rate;
	clock->mono_ns += ns;
	clock->boot_ns += ns;
	clock->real_ns += ns;
}

static inline uint64_t made_up_ticks(void *ctx)
{
	return (uint64_t)((struct made_up_clock *)ctx)->ticks;
}

static inline uint64_t made_up_ns(void *ctx, clockid_t id)
{
	struct made_up_clock *clock = ctx;

	if (clock->pause_ns && clock->n_readings++ % PAIR_READINGS == 0)
		made_up_pass(clock, clock->pause_ns);
	made_up_pass(clock, READING_NS);
	return id == CLOCK_MONOTONIC ? clock->mono_ns : id == CLOCK_BOOTTIME ? clock->boot_ns : clock->real_ns;
}

static inline void made_up_clock_init(struct made_up_clock *clock)
{
	*clock = (struct made_up_clock){ .ticks = 9e12,
					 .rate = 3,
					 .mono_ns = 1000000000000,
					 .boot_ns = 2000000000000,
					 .real_ns = 1700000000000000000,
					 .reader = { made_up_ticks, made_up_ns, clock } };
}

/* A map that has been kept for a second, as the recorder does. */
static inline void made_up_clock_map(struct made_up_clock *clock, struct clock_map *map)
{
	clock->pause_ns = 5000000;
	clock_map_init(map, &clock->reader, 5);
	clock->pause_ns = 0;
	for (int i = 0; i < 50; i++) {
		made_up_pass(clock, 20000000);
		clock_map_update(map);
	}
}

#endif
