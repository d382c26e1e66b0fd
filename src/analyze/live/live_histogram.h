/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Durations of the last intervals: a histogram for each, and their sum, whose bins grow with the value. Percentiles are
 * within 1.6 %. Keeps no single duration. One thread.
 */
#ifndef ANALYZE_LIVE_LIVE_HISTOGRAM_H
#define ANALYZE_LIVE_LIVE_HISTOGRAM_H

#include <stdint.h>

#include "analyze/live/live.h"

/* Of base/log_bins.h, up to 2^42 ns, over an hour; longer ones are in the last bin. */
enum { LIVE_BITS = 5, LIVE_BINS = 38 << LIVE_BITS };

/* Zeroed: empty. */
struct live_histogram {
	uint32_t bin[LIVE_WINDOW][LIVE_BINS], all[LIVE_BINS];
	uint64_t n[LIVE_WINDOW], n_all;
	uint32_t at; /* the interval that is being filled */
};

void live_histogram_add(struct live_histogram *histogram, uint64_t ns);
void live_histogram_merge(struct live_histogram *to, const struct live_histogram *from); /* into the sum alone */
/* The time that this share of them did not exceed; 0: there are none. last: of the interval being filled alone. */
uint64_t live_histogram_quantile(const struct live_histogram *histogram, double share, bool last);
/* The next interval begins, and the oldest is forgotten. */
void live_histogram_roll(struct live_histogram *histogram);

#endif
