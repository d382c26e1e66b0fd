/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long inferences took, from the events of a stream while it runs: a histogram of fixed size, and for each lane
 * when its inference began. Knows no models: all inferences count together. Starts zeroed; one thread.
 */
#ifndef CAPTURE_RECORDER_LATENCY_H
#define CAPTURE_RECORDER_LATENCY_H

#include <stdbool.h>
#include <stddef.h>

#include "event/event.h"

enum { LATENCY_STEPS = 64, LATENCY_BINS = 64 * LATENCY_STEPS };

/* What is open on a track. */
struct latency_lane {
	uint64_t begin_ns; /* of the inference */
	uint32_t depth;	   /* open slices from the inference on; 0: no inference is open */
};

struct latency {
	struct latency_lane *lane; /* by track */
	uint32_t n_lanes;
	uint64_t n;
	uint32_t bin[LATENCY_BINS]; /* each power of two in LATENCY_STEPS steps */
};

/* What begins or ends an inference, or lies inside one. */
void latency_step(struct latency *latency, const struct event *event);

/* Is an inference open on the track? */
static inline bool latency_is_open(const struct latency *latency, uint32_t track)
{
	return track < latency->n_lanes && latency->lane[track].depth;
}

/* Takes a BEGIN or an END; most are of operators, on other tracks. Out of memory, a track's inferences are left out. */
static inline void latency_take(struct latency *latency, const struct event *event)
{
	if ((event->type == EVENT_BEGIN && event->kind == KIND_INFERENCE) || latency_is_open(latency, event->track))
		latency_step(latency, event);
}
/* Another track has this number now. */
static inline void latency_forget(struct latency *latency, uint32_t track)
{
	if (track < latency->n_lanes)
		latency->lane[track] = (struct latency_lane){ 0 };
}
/* The time that this share of the inferences did not exceed, within 1 %; 0: none has ended. */
uint64_t latency_quantile(const struct latency *latency, double share);
void latency_done(struct latency *latency);

#endif
