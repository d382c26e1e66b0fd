/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrival times of independent requests: a Poisson process. The same seed gives the same times on every machine. Not
 * thread-safe.
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
/* The next arrival in nanoseconds after the start; never before the previous one. */
uint64_t run_arrivals_next(struct run_arrivals *arrivals);

#endif
