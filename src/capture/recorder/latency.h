/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long inferences took, from the events of a stream while it runs: a histogram of fixed size. Knows no models: all
 * inferences count together. Starts zeroed; one thread.
 */
#ifndef CAPTURE_RECORDER_LATENCY_H
#define CAPTURE_RECORDER_LATENCY_H

#include "event/open_runs.h"

enum { LATENCY_BITS = 6, LATENCY_BINS = 64 << LATENCY_BITS };

struct latency {
	struct open_runs open;
	uint64_t n;
	uint32_t bin[LATENCY_BINS]; /* of base/log_bins.h */
};

/* Takes a BEGIN or an END. Out of memory, a track's inferences are left out. */
void latency_take(struct latency *latency, const struct event *event);
/* The time that this share of the inferences did not exceed, within 1 %; 0: none has ended. */
uint64_t latency_quantile(const struct latency *latency, double share);
void latency_done(struct latency *latency);

#endif
