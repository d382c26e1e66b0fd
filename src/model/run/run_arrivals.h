/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When requests arrive that know nothing of each other: a Poisson process. The same seed gives the same times on every
 * machine. Not thread-safe.
 */
#ifndef MODEL_RUN_RUN_ARRIVALS_H
#define MODEL_RUN_RUN_ARRIVALS_H

#include <stdint.h>

struct run_arrivals {
	uint64_t state;
	double mean_ns, at_ns;
};

/* rate_hz above 0. */
void run_arrivals_start(struct run_arrivals *arrivals, double rate_hz, uint64_t seed);
/* Nanoseconds after the start at which the next one comes; never earlier than the one before. */
uint64_t run_arrivals_next(struct run_arrivals *arrivals);

#endif
