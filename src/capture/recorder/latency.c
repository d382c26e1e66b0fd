// SPDX-License-Identifier: Apache-2.0
/* A bin is at most 1.6 % wide, and its middle stands for all times in it. Keeps no single time. */
#include "capture/recorder/latency.h"

#include "base/log_bins.h"

void latency_take(struct latency *latency, const struct event *event)
{
	uint64_t begin_ns;

	if (open_runs_take(&latency->open, event, &begin_ns) <= 0)
		return;
	latency->bin[log_bins_of(event->time_ns - begin_ns, LATENCY_BITS)]++;
	latency->n++;
}

uint64_t latency_quantile(const struct latency *latency, double share)
{
	return log_bins_quantile(latency->bin, LATENCY_BINS, latency->n, share, LATENCY_BITS);
}

void latency_done(struct latency *latency)
{
	open_runs_done(&latency->open);
	*latency = (struct latency){ 0 };
}
