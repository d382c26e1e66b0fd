// SPDX-License-Identifier: Apache-2.0
/*
 * CUPTI's clock against ours. It is the wall clock, which runs at the rate of CLOCK_MONOTONIC and may be set. Both are
 * read at each delivery. A pair holds from the last look at which the pair before it was still right; a time is read by
 * the newest pair that puts it neither before that nor after now.
 */
#include "capture/agent/cupti/cupti_in.h"

enum { PAIRS = 64, TRIES = 5, STEP_NS = 20000, LATER_NS = 1000000 };

static struct {
	struct {
		uint64_t from; /* of our clock */
		int64_t ahead;
	} pair[PAIRS]; /* the last ones; number n lies at n % PAIRS */
	uint32_t n;
	uint64_t looked, error;
} clocks;

void cupti_clock_start(void)
{
	clocks.n = 0;
	clocks.looked = clocks.error = 0;
	cupti_clock_look();
}

void cupti_clock_look(void)
{
	uint64_t best = UINT64_MAX, theirs = 0, ours = 0, off = 0;
	int64_t ahead, drift;

	for (int i = 0; i < TRIES; i++) {
		uint64_t before = clock_ns(), t = 0, after;

		if (cupti.GetTimestamp(&t))
			return;
		after = clock_ns();
		if (after - before < best) {
			best = after - before;
			theirs = t;
			ours = before + best / 2;
		}
	}
	ahead = (int64_t)(theirs - ours);
	drift = clocks.n ? ahead - clocks.pair[(clocks.n - 1) % PAIRS].ahead : 0;
	off = (uint64_t)(drift < 0 ? -drift : drift);
	if (!clocks.n || off > STEP_NS) {
		clocks.pair[clocks.n % PAIRS].from = clocks.looked;
		clocks.pair[clocks.n++ % PAIRS].ahead = ahead;
		off = 0;
	}
	if (off + best / 2 > clocks.error)
		clocks.error = off + best / 2;
	clocks.looked = ours;
}

uint64_t cupti_clock_ns(uint64_t theirs)
{
	uint32_t first = clocks.n > PAIRS ? clocks.n - PAIRS : 0;
	uint64_t now = clocks.looked + LATER_NS;

	if (!theirs || !clocks.n)
		return 0;
	for (uint32_t i = clocks.n; i-- > first + 1;) {
		uint64_t t = theirs - (uint64_t)clocks.pair[i % PAIRS].ahead;

		if (t >= clocks.pair[i % PAIRS].from && t <= now)
			return t;
	}
	return theirs - (uint64_t)clocks.pair[first % PAIRS].ahead;
}

uint64_t cupti_clock_error(void)
{
	return clocks.error;
}

uint32_t cupti_clock_steps(void)
{
	return clocks.n ? clocks.n - 1 : 0;
}
