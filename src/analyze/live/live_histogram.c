// SPDX-License-Identifier: Apache-2.0
/* Bins as in an HDR histogram: the power of two, and the five bits behind the highest one. */
#include "analyze/live/live_histogram.h"

#include <string.h>

enum { STEP_BITS = 5 };

static uint32_t bin_of(uint64_t ns)
{
	uint32_t shift, bin;

	if (ns < LIVE_STEPS)
		return (uint32_t)ns;
	shift = (uint32_t)(63 - __builtin_clzll(ns) - STEP_BITS);
	bin = (shift + 1) * LIVE_STEPS + (uint32_t)((ns >> shift) - LIVE_STEPS);
	return bin < LIVE_BINS ? bin : LIVE_BINS - 1;
}

/* The middle of a bin. */
static uint64_t time_of(uint32_t bin)
{
	uint32_t shift = bin / LIVE_STEPS;

	if (!shift)
		return bin;
	return (uint64_t)(LIVE_STEPS + bin % LIVE_STEPS) << (shift - 1) | (UINT64_C(1) << (shift - 1)) >> 1;
}

void live_histogram_add(struct live_histogram *histogram, uint64_t ns)
{
	uint32_t bin = bin_of(ns);

	histogram->bin[histogram->at][bin]++;
	histogram->all[bin]++;
	histogram->n[histogram->at]++;
	histogram->n_all++;
}

void live_histogram_merge(struct live_histogram *to, const struct live_histogram *from)
{
	for (uint32_t i = 0; i < LIVE_BINS; i++)
		to->all[i] += from->all[i];
	to->n_all += from->n_all;
}

uint64_t live_histogram_quantile(const struct live_histogram *histogram, double share, bool last)
{
	const uint32_t *bins = last ? histogram->bin[histogram->at] : histogram->all;
	uint64_t n = last ? histogram->n[histogram->at] : histogram->n_all;
	uint64_t wanted = (uint64_t)(share * (double)n), seen = 0;

	if (wanted >= n)
		wanted = n - 1;
	for (uint32_t i = 0; n && i < LIVE_BINS; i++) {
		seen += bins[i];
		if (seen > wanted)
			return time_of(i);
	}
	return 0;
}

void live_histogram_roll(struct live_histogram *histogram)
{
	uint32_t *oldest;

	histogram->at = (histogram->at + 1) % LIVE_WINDOW;
	oldest = histogram->bin[histogram->at];
	if (!histogram->n[histogram->at])
		return;
	for (uint32_t i = 0; i < LIVE_BINS; i++)
		histogram->all[i] -= oldest[i];
	memset(oldest, 0, sizeof histogram->bin[0]);
	histogram->n_all -= histogram->n[histogram->at];
	histogram->n[histogram->at] = 0;
}
