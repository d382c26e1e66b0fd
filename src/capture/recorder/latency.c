// SPDX-License-Identifier: Apache-2.0
/*
 * Times below LATENCY_STEPS have a bin each; above, the bin is the power of two and the six bits behind the highest
 * one. A bin is at most 1.6 % wide, and its middle stands for what is in it. Keeps no single time.
 */
#include "capture/recorder/latency.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum { STEP_BITS = 6 };

static size_t bin_of(uint64_t ns)
{
	int shift = ns < LATENCY_STEPS ? 0 : 63 - __builtin_clzll(ns) - STEP_BITS;

	return ns < LATENCY_STEPS ? (size_t)ns : (size_t)(shift + 1) * LATENCY_STEPS + ((ns >> shift) - LATENCY_STEPS);
}

/* The middle of a bin. */
static uint64_t time_of(size_t bin)
{
	size_t shift = bin / LATENCY_STEPS;

	if (!shift)
		return bin;
	return (uint64_t)(LATENCY_STEPS + bin % LATENCY_STEPS) << (shift - 1) | (UINT64_C(1) << (shift - 1)) >> 1;
}

static struct latency_lane *lane_of(struct latency *latency, uint32_t track)
{
	return ARRAY_ROOM(latency->lane, latency->n_lanes, (size_t)track + 1) ? &latency->lane[track] : NULL;
}

static void begin(struct latency *latency, const struct event *event)
{
	struct latency_lane *lane = lane_of(latency, event->track);

	if (!lane)
		return;
	if (!lane->depth)
		lane->begin_ns = event->time_ns;
	lane->depth++;
}

static void end(struct latency *latency, const struct event *event)
{
	struct latency_lane *lane = &latency->lane[event->track];

	if (--lane->depth || event->time_ns < lane->begin_ns)
		return;
	latency->bin[bin_of(event->time_ns - lane->begin_ns)]++;
	latency->n++;
}

void latency_step(struct latency *latency, const struct event *event)
{
	if (event->type == EVENT_BEGIN)
		begin(latency, event);
	else if (event->type == EVENT_END)
		end(latency, event);
}

uint64_t latency_quantile(const struct latency *latency, double share)
{
	uint64_t wanted = (uint64_t)(share * (double)latency->n), seen = 0;

	if (wanted >= latency->n)
		wanted = latency->n - 1;
	for (size_t i = 0; latency->n && i < LATENCY_BINS; i++) {
		seen += latency->bin[i];
		if (seen > wanted)
			return time_of(i);
	}
	return 0;
}

void latency_done(struct latency *latency)
{
	free(latency->lane);
	*latency = (struct latency){ 0 };
}
