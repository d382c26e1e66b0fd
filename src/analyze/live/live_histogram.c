// SPDX-License-Identifier: Apache-2.0
/* A histogram for each interval, and their sum. */
#include "analyze/live/live_histogram.h"

#include <string.h>

#include "base/log_bins.h"

void live_histogram_add(struct live_histogram *histogram, uint64_t ns)
{
	size_t bin = log_bins_of(ns, LIVE_BITS);

	bin = bin < LIVE_BINS ? bin : LIVE_BINS - 1;
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

	return log_bins_quantile(bins, LIVE_BINS, n, share, LIVE_BITS);
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
