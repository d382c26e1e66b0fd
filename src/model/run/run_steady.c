// SPDX-License-Identifier: Apache-2.0
/* Decides by the medians of windows whether the times of a warm-up are steady. */
#include <stdlib.h>
#include <string.h>

#include "model/run/run_worker.h"

static void open_window(struct run_steady *steady, uint64_t now_ns)
{
	steady->window_start_ns = now_ns;
	steady->n_samples = steady->n_in_window = steady->skipped = 0;
	steady->step = 1;
}

void run_steady_start(struct run_steady *steady, uint64_t now_ns)
{
	memset(steady, 0, sizeof *steady);
	open_window(steady, now_ns);
}

/* When full: drops every second sample, and from now on skips twice as many. */
static void keep_sample(struct run_steady *steady, uint64_t duration_ns)
{
	if (steady->skipped++ % steady->step)
		return;
	if (steady->n_samples == STEADY_SAMPLES) {
		for (size_t i = 0; i < STEADY_SAMPLES / 2; i++)
			steady->sample[i] = steady->sample[2 * i];
		steady->n_samples = STEADY_SAMPLES / 2;
		steady->step *= 2;
	}
	steady->sample[steady->n_samples++] = duration_ns;
}

static int by_value(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return (left > right) - (left < right);
}

double run_steady_spread(const struct run_steady *steady)
{
	uint64_t low = UINT64_MAX, high = 0;

	if (steady->n_windows < STEADY_WINDOWS)
		return -1;
	for (size_t i = 0; i < STEADY_WINDOWS; i++) {
		low = steady->median[i] < low ? steady->median[i] : low;
		high = steady->median[i] > high ? steady->median[i] : high;
	}
	return (double)(high - low) / (double)(low ? low : 1);
}

bool run_steady_add(struct run_steady *steady, uint64_t now_ns, uint64_t duration_ns)
{
	double spread;

	keep_sample(steady, duration_ns);
	if (++steady->n_in_window < STEADY_MIN_COUNT || now_ns - steady->window_start_ns < STEADY_WINDOW_NS)
		return false;
	qsort(steady->sample, steady->n_samples, sizeof *steady->sample, by_value);
	steady->median[steady->n_windows++ % STEADY_WINDOWS] = steady->sample[steady->n_samples / 2];
	open_window(steady, now_ns);
	spread = run_steady_spread(steady);
	return spread >= 0 && spread <= STEADY_LIMIT;
}
