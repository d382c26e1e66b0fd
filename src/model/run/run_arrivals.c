// SPDX-License-Identifier: Apache-2.0
/* Generates arrival times whose gaps are exponentially distributed. */
#include <math.h>

#include "model/run/run_worker.h"

void run_arrivals_start(struct run_arrivals *arrivals, double rate_hz, uint64_t seed)
{
	arrivals->state = seed;
	arrivals->mean_ns = 1e9 / rate_hz;
	arrivals->at_ns = 0;
}

/* A Weyl sequence with a mixing function: any seed is fine. */
static uint64_t next_bits(uint64_t *state)
{
	uint64_t bits = *state += 0x9e3779b97f4a7c15u;

	bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9u;
	bits = (bits ^ bits >> 27) * 0x94d049bb133111ebu;
	return bits ^ bits >> 31;
}

uint64_t run_arrivals_next(struct run_arrivals *arrivals)
{
	double chance = (double)(next_bits(&arrivals->state) >> 11) * 0x1p-53; /* 0 to below 1 */

	arrivals->at_ns += -log1p(-chance) * arrivals->mean_ns;
	return arrivals->at_ns < 9e18 ? (uint64_t)arrivals->at_ns : (uint64_t)9e18;
}
